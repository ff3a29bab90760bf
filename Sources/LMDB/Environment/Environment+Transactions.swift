internal import CLMDB
internal import Glibc
internal import Synchronization

extension Environment {
    /// Begins or renews a read transaction. Renewing takes no LMDB lock, because the transaction has kept its reader slot.
    func beginReading() throws(LMDBError) -> TransactionHandle {
        // SAFETY: each pattern in the list points to a live idle transaction, and this call removes the pattern from the list.
        if let pattern = idle.withLock({ $0.popLast() }), let pointer = unsafe OpaquePointer(bitPattern: pattern) {
            let number = unsafe mdb_txn_renew(pointer)
            if number == 0 { return held(unsafe TransactionHandle(pointer: pointer, environment: self.number)) }
            unsafe mdb_txn_abort(pointer)
            throw LMDBError(number: number, call: "mdb_txn_renew", path: directory)
        }
        return try begin(MDB_RDONLY)
    }

    /// Resets a read transaction and keeps it for reuse, or ends it if enough idle transactions are kept.
    static func endReading(_ transaction: TransactionHandle) {
        // SAFETY: the transaction is live, and so is the environment that it borrows. Its owner does not use it after this call.
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

    /// Begins the write transaction and records its thread. A second write transaction on this thread then fails instead of deadlocking.
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

    /// Clears the record of the writing thread. Called before the transaction itself ends, because after that another thread may be the
    /// writer.
    ///
    /// - Returns: the environment. After the transaction's end the caller releases it with ``letGo(_:)``.
    static func endWriting(_ transaction: TransactionHandle) -> Environment {
        let environment = environment(of: transaction)
        environment.writer.store(0, ordering: .relaxed)
        return environment
    }

    /// Releases the reference that a transaction holds on its environment.
    static func letGo(_ environment: Environment) {
        // SAFETY: each transaction took one reference when it began, and ends only once.
        unsafe Unmanaged.passUnretained(environment).release()
    }

    /// Retains the environment for a live transaction. The borrow alone is not enough: the optimizer may release a local reference after
    /// its last use, while the transaction made from it is still live.
    private func held(_ transaction: TransactionHandle) -> TransactionHandle {
        // SAFETY: the end of the transaction releases this reference.
        _ = unsafe Unmanaged.passRetained(self)
        return transaction
    }

    borrowing func refuseNested(_ call: String) throws(LMDBError) {
        guard writer.load(ordering: .relaxed) == Self.thisThread else { return }
        throw LMDBError(.misuse, call: call, path: directory, text: "this thread has a write transaction open")
    }

    private func begin(_ flags: Int32) throws(LMDBError) -> TransactionHandle {
        var pointer: OpaquePointer?
        // SAFETY: the environment is open, and the returned handle has exactly one owner.
        let status = unsafe mdb_txn_begin(handle, nil, UInt32(flags), &pointer)
        // A process's first read transaction locks the byte of `lock.mdb` whose offset is the process id. Only a process in another PID
        // namespace can hold that lock.
        if flags == Int32(MDB_RDONLY), status == EAGAIN || status == EACCES { throw LockFile.sameProcessID("mdb_txn_begin", directory) }
        try Self.require(status, "mdb_txn_begin", directory)
        return held(unsafe TransactionHandle(pointer: pointer!, environment: number))
    }

    /// The environment that a transaction belongs to.
    private static func environment(of transaction: TransactionHandle) -> Environment {
        // SAFETY: init stored an unretained reference, and the environment outlives all of its transactions.
        let context = unsafe mdb_env_get_userctx(mdb_txn_env(transaction.pointer))
        return unsafe Unmanaged<Environment>.fromOpaque(context!).takeUnretainedValue()
    }

    /// The name of the setting for the map's size, for the environment of a transaction; nil if there is no setting.
    static func mapSetting(of transaction: OpaquePointer?) -> String? {
        // SAFETY: the transaction is live, and so is its environment, which holds an unretained reference to this type's object. While an
        // environment is being opened, that reference is null.
        guard let transaction = unsafe transaction, let context = unsafe mdb_env_get_userctx(mdb_txn_env(transaction)) else { return nil }
        return unsafe Unmanaged<Environment>.fromOpaque(context).takeUnretainedValue().options.mapSetting
    }

    private static var thisThread: UInt { UInt(pthread_self()) }
}
