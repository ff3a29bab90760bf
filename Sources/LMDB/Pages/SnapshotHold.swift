internal import CLMDB

/// Keeps every page of one commit, and of the commit before it, from being reused for as long as this object lives.
///
/// It serves code that reads the file without LMDB and needs only the commit's number. Like a ``Snapshot``, it occupies a reader slot.
public final class SnapshotHold: Sendable {
    private let environment: Environment
    // SAFETY: any thread may end a read transaction (MDB_NOTLS), and this object does nothing else with the transaction.
    private nonisolated(unsafe) let transaction: TransactionHandle
    /// The number of the commit whose pages are kept from being reused.
    public let number: UInt64

    /// Keeps the pages of the last commit from being reused.
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
