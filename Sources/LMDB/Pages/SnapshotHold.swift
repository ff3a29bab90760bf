internal import CLMDB

/// Keeps the pages of one commit, and of the one before, from reuse as long as this object lives, in a reader slot.
///
/// It is for code that reads the file without LMDB.
public final class SnapshotHold: Sendable {
    private let environment: Environment
    // SAFETY: any thread may end a read transaction (MDB_NOTLS), the only thing done with it here.
    private nonisolated(unsafe) let transaction: TransactionHandle
    /// The held commit's number.
    public let number: UInt64

    /// Holds the last commit.
    ///
    /// - Throws: as ``Environment/snapshot()``.
    public init(_ environment: Environment) throws(LMDBError) {
        self.environment = environment
        unsafe transaction = try environment.beginReading()
        // SAFETY: the transaction is live.
        number = UInt64(unsafe mdb_txn_id(transaction.pointer))
    }

    deinit {
        // SAFETY: the transaction is live and ends here; the environment outlives it.
        unsafe Environment.endReading(transaction)
    }
}
