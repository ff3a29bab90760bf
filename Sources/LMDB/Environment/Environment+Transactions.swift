internal import CLMDB
internal import Glibc
internal import Synchronization

extension Environment {
    /// Begins or renews a read transaction. Renewing takes no lock of LMDB's, as the transaction has kept its reader slot.
    func beginReading() throws(LMDBError) -> TransactionHandle {
        // SAFETY: a pattern in the list is a live transaction at rest, and leaves the list with this.
        if let pattern = idle.withLock({ $0.popLast() }), let pointer = unsafe OpaquePointer(bitPattern: pattern) {
            let number = unsafe mdb_txn_renew(pointer)
            if number == 0 { return held(unsafe TransactionHandle(pointer: pointer, environment: self.number)) }
            unsafe mdb_txn_abort(pointer)
            throw LMDBError(number: number, call: "mdb_txn_renew", path: directory)
        }
        return try begin(MDB_RDONLY)
    }

    /// Puts a read transaction to rest, or ends it when enough are.
    static func endReading(_ transaction: TransactionHandle) {
        // SAFETY: the transaction is live and its environment, which it borrows, too; it is used no more after this.
        unsafe mdb_txn_reset(transaction.pointer)
        let environment = environment(of: transaction)
        let kept = environment.rest(transaction)
        if !kept { unsafe mdb_txn_abort(transaction.pointer) }
        letGo(environment)
    }

    private func rest(_ transaction: TransactionHandle) -> Bool {
        let pattern = unsafe UInt(bitPattern: transaction.pointer)
        let limit = min(Limits.idleSnapshotsMax, options.maxReaders / 8)
        return idle.withLock { idle in
            if idle.count >= limit { return false }
            idle.append(pattern)
            return true
        }
    }

    /// Begins the write transaction, and notes its thread so that a second one is refused rather than waiting for ever.
    func beginWriting() throws(LMDBError) -> TransactionHandle {
        try refuseNested("mdb_txn_begin")
        guard access == .readWrite else {
            throw LMDBError(.misuse, call: "mdb_txn_begin", path: directory, text: "opened for reading only")
        }
        checkReadersNowAndThen()
        let transaction = try begin(0)
        writer.store(Self.thisThread, ordering: .relaxed)
        return transaction
    }

    /// Forgets the writing thread before the transaction itself ends, because another thread may be the writer from then on.
    ///
    /// - Returns: the environment, which the caller releases after the transaction's end with ``letGo(_:)``.
    static func endWriting(_ transaction: TransactionHandle) -> Environment {
        let environment = environment(of: transaction)
        environment.writer.store(0, ordering: .relaxed)
        return environment
    }

    /// The counterpart of the reference that a transaction holds.
    static func letGo(_ environment: Environment) {
        // SAFETY: each transaction took one reference when it began, and ends once.
        unsafe Unmanaged.passUnretained(environment).release()
    }

    /// Every live transaction holds a reference. The borrow alone is not enough: the optimizer may end the life of a local
    /// reference after its last use, which is before the end of the transaction that was made from it.
    private func held(_ transaction: TransactionHandle) -> TransactionHandle {
        // SAFETY: balanced where the transaction ends.
        _ = unsafe Unmanaged.passRetained(self)
        return transaction
    }

    borrowing func refuseNested(_ call: String) throws(LMDBError) {
        guard writer.load(ordering: .relaxed) == Self.thisThread else { return }
        throw LMDBError(.misuse, call: call, path: directory, text: "this thread has a write transaction open")
    }

    private func begin(_ flags: Int32) throws(LMDBError) -> TransactionHandle {
        var pointer: OpaquePointer?
        // SAFETY: the environment is open; the returned handle goes to exactly one owner.
        let status = unsafe mdb_txn_begin(handle, nil, UInt32(flags), &pointer)
        // A reader's first transaction locks the byte of its process id: only another PID namespace can have a process of the same id.
        if flags == Int32(MDB_RDONLY), status == EAGAIN || status == EACCES { throw LockFile.sameProcessID("mdb_txn_begin", directory) }
        try Self.require(status, "mdb_txn_begin", directory)
        return held(unsafe TransactionHandle(pointer: pointer!, environment: number))
    }

    /// The object that a transaction belongs to.
    private static func environment(of transaction: TransactionHandle) -> Environment {
        // SAFETY: init stored an unretained reference to an object that outlives all of its transactions.
        let context = unsafe mdb_env_get_userctx(mdb_txn_env(transaction.pointer))
        return unsafe Unmanaged<Environment>.fromOpaque(context!).takeUnretainedValue()
    }

    /// The operator's name for the size of a transaction's map.
    static func mapSetting(of transaction: OpaquePointer?) -> String? {
        // SAFETY: the transaction is live, and so is its environment; see above. An environment that is being opened has no object yet.
        guard let transaction = unsafe transaction, let context = unsafe mdb_env_get_userctx(mdb_txn_env(transaction)) else { return nil }
        return unsafe Unmanaged<Environment>.fromOpaque(context).takeUnretainedValue().options.mapSetting
    }

    private static var thisThread: UInt { UInt(pthread_self()) }
}
