internal import CLMDB

/// Keeps every page of one commit, and of the one before it, from being used again, for as long as it lives.
///
/// It is a ``Snapshot`` for those who read the file past LMDB: only its number is asked for. It occupies a reader slot.
public final class SnapshotHold: Sendable {
    private let environment: Environment
    // SAFETY: a read transaction may be ended on any thread (MDB_NOTLS), and nothing else is done with it.
    private nonisolated(unsafe) let transaction: TransactionHandle
    /// The number of the commit that is held.
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
