internal import CLMDB
internal import Glibc

/// The one write transaction of an environment: sees its own changes, shows them to others only by ``commit()``.
///
/// Dropping it without a commit undoes everything. ``commit()`` consumes it, so that the compiler refuses any later use. A span
/// or cursor that came from it borrows it, so that none can be live across a change: LMDB moves pages when it writes.
///
/// ## LMDB limitations
/// One at a time in a process and between processes; ``Environment/write()`` waits for it. It belongs to the thread that began
/// it, which is why it is not available in asynchronous functions. After any failed change, drop it: only an abort is certain.
@safe @available(*, noasync)
public struct WriteTransaction: ~Copyable, ~Escapable {
    let transaction: TransactionHandle

    @_lifetime(borrow environment)
    init(_ environment: borrowing Environment) throws(LMDBError) {
        transaction = try environment.beginWriting()
    }

    deinit {
        let environment = Environment.endWriting(transaction)
        // SAFETY: the handle is live: commit discards self, so that this runs only without it.
        unsafe mdb_txn_abort(transaction.pointer)
        Environment.letGo(environment)
    }

    /// Makes every change durable at once (unless the environment was opened without), and ends the transaction.
    ///
    /// - Throws: ``LMDBError/Code/diskFull`` with nothing stored; any other error leaves the outcome unknown until the
    ///   environment is opened again.
    public consuming func commit() throws(LMDBError) {
        let transaction = self.transaction
        discard self
        let environment = Environment.endWriting(transaction)
        // SAFETY: the handle is live, and is gone after this whatever is returned.
        errno = 0
        let number = unsafe mdb_txn_commit(transaction.pointer)
        let system = errno
        let (path, setting) = (environment.directory, environment.options.mapSetting)
        Environment.letGo(environment)
        guard number != 0 else { return }
        throw LMDBError(writing: number, system: system, call: "mdb_txn_commit", path: path, setting: setting)
    }

    /// The value under a key, as this transaction has it, without copying it.
    ///
    /// - Returns: nil when there is no such key.
    /// - Throws: ``LMDBError/Code/misuse`` for an integer table, ``LMDBError/Code/damaged`` for a broken page.
    @_lifetime(borrow self)
    public func get(_ table: Table, _ key: Span<UInt8>) throws(LMDBError) -> Span<UInt8>? {
        try transaction.check(table, integer: false, "mdb_get")
        let found = try unsafe key.withValue { (key) throws(LMDBError) in try unsafe transaction.get(table, key) }
        guard let found = unsafe found else { return nil }
        // SAFETY: the bytes stay in place until the next change, which the borrow excludes.
        return unsafe _overrideLifetime(Span(_unsafeElements: found), borrowing: self)
    }

    /// The value under a number, as this transaction has it, without copying it.
    ///
    /// - Returns: nil when there is no such key.
    /// - Throws: ``LMDBError/Code/misuse`` unless the table is of integers, ``LMDBError/Code/damaged`` for a broken page.
    @_lifetime(borrow self)
    public func get(_ table: Table, _ key: UInt64) throws(LMDBError) -> Span<UInt8>? {
        try transaction.check(table, integer: true, "mdb_get")
        let found = try unsafe key.withValue { (key) throws(LMDBError) in try unsafe transaction.get(table, key) }
        guard let found = unsafe found else { return nil }
        // SAFETY: as above.
        return unsafe _overrideLifetime(Span(_unsafeElements: found), borrowing: self)
    }

    /// A cursor over a table as this transaction has it; nothing can be changed while it lives.
    ///
    /// - Throws: ``LMDBError/Code/misuse`` for another environment's table.
    @_lifetime(borrow self)
    public func cursor(_ table: Table) throws(LMDBError) -> Cursor {
        let cursor = try Cursor(transaction, table)
        // SAFETY: the cursor is closed by its deinit, which the borrow puts before the next change and the end.
        return unsafe _overrideLifetime(cursor, borrowing: self)
    }

    /// How many entries a table holds.
    ///
    /// - Throws: ``LMDBError/Code/misuse`` for another environment's table.
    public func count(_ table: Table) throws(LMDBError) -> Int { try transaction.count(table) }
}
