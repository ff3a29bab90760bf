internal import CLMDB
internal import Glibc
internal import Synchronization

extension Environment {
    /// Renewing takes no LMDB lock, because the reader slot was kept.
    func beginReading() throws(LMDBError) -> TransactionHandle {
        let last = try lastTransaction()
        // SAFETY: each pattern points to a live idle transaction, and leaves the list here.
        if let pattern = idle.withLock({ $0.popLast() }), let pointer = unsafe OpaquePointer(bitPattern: pattern) {
            let number = unsafe mdb_txn_renew(pointer)
            if number == 0 {
                try unsafe require(pointer, follows: last, writes: false)
                return held(unsafe TransactionHandle(pointer: pointer, environment: self.number))
            }
            unsafe mdb_txn_abort(pointer)
            throw DataFile.cause(of: LMDBError(number: number, call: "mdb_txn_renew", path: directory), in: directory)
        }
        return try begin(MDB_RDONLY, after: last)
    }

    static func endReading(_ transaction: TransactionHandle) {
        // SAFETY: the transaction and its environment are live; the owner does not use it afterwards.
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

    /// The thread is recorded, so that a second write transaction on it fails instead of deadlocking.
    func beginWriting() throws(LMDBError) -> TransactionHandle {
        try refuseNested("mdb_txn_begin")
        guard access == .readWrite else {
            throw LMDBError(.misuse, call: "mdb_txn_begin", path: directory, text: "opened for reading only")
        }
        let last = try lastTransaction()
        checkReadersNowAndThen()
        let transaction = try begin(0, after: last)
        writer.store(Self.thisThread, ordering: .relaxed)
        return transaction
    }

    /// Call it before the transaction ends: afterwards another thread may be the writer. The caller then releases the returned environment
    /// with ``letGo(_:)``.
    static func endWriting(_ transaction: TransactionHandle) -> Environment {
        let environment = environment(of: transaction)
        environment.writer.store(0, ordering: .relaxed)
        return environment
    }

    static func letGo(_ environment: Environment) {
        // SAFETY: each transaction took one reference when it began, and ends only once.
        unsafe Unmanaged.passUnretained(environment).release()
    }

    /// The borrow alone is not enough: the optimizer may release a local reference after its last use.
    private func held(_ transaction: TransactionHandle) -> TransactionHandle {
        // SAFETY: the end of the transaction releases this reference.
        _ = unsafe Unmanaged.passRetained(self)
        return transaction
    }

    borrowing func refuseNested(_ call: String) throws(LMDBError) {
        guard writer.load(ordering: .relaxed) == Self.thisThread else { return }
        throw LMDBError(.misuse, call: call, path: directory, text: "this thread has a write transaction open")
    }

    private func begin(_ flags: Int32, after last: Int?) throws(LMDBError) -> TransactionHandle {
        var pointer: OpaquePointer?
        // SAFETY: the environment is open, and the returned handle has one owner.
        let status = unsafe mdb_txn_begin(handle, nil, UInt32(flags), &pointer)
        // The first read transaction locks the byte of `lock.mdb` at the process id. Only a process in another PID namespace can hold that
        // lock.
        if flags == Int32(MDB_RDONLY), status == EAGAIN || status == EACCES { throw LockFile.sameProcessID("mdb_txn_begin", directory) }
        do { try Self.require(status, "mdb_txn_begin", directory) } catch { throw DataFile.cause(of: error, in: directory) }
        try unsafe require(pointer!, follows: last, writes: flags != Int32(MDB_RDONLY))
        return held(unsafe TransactionHandle(pointer: pointer!, environment: number))
    }

    private static func environment(of transaction: TransactionHandle) -> Environment {
        // SAFETY: init stored an unretained reference, and the environment outlives its transactions.
        let context = unsafe mdb_env_get_userctx(mdb_txn_env(transaction.pointer))
        return unsafe Unmanaged<Environment>.fromOpaque(context!).takeUnretainedValue()
    }

    static func mapSetting(of transaction: OpaquePointer?) -> String? {
        // SAFETY: the transaction and its environment are live. The reference is null while an environment is being opened.
        guard let transaction = unsafe transaction, let context = unsafe mdb_env_get_userctx(mdb_txn_env(transaction)) else { return nil }
        return unsafe Unmanaged<Environment>.fromOpaque(context).takeUnretainedValue().options.mapSetting
    }

    private static var thisThread: UInt { UInt(pthread_self()) }
}
