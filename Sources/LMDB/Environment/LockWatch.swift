internal import CLMDB
internal import Glibc

/// A view of `lock.mdb`, which shows whether something else than LMDB wrote to it while it is open.
///
/// LMDB takes the number of the last commit from this file, and trusts it: after a smaller one, a commit would overwrite pages in use. It
/// writes a head page of the data file, and then the number of that commit here. So both only grow, and this one is at most one behind.
/// Each transaction begins with that comparison, which costs some loads and no system call.
///
/// Zeros over the readers' slots alone do not stop the writer. Its commits stay right, because it takes free pages by the data file. But
/// snapshots under way lose their protection, as if they had ended, so what they read MUST be checked like a copy; LMDB refuses the next
/// use of such a slot.
@safe struct LockWatch {
    /// The checks that must agree before a mismatch counts, because one may see a head page that is half written. A false alarm would stop
    /// the writer.
    private static let checks = 20
    private static let checkMicroseconds: UInt32 = 1_000

    private let head: UnsafeRawPointer
    private let headBytes: Int
    private let identity: FileIdentity
    /// LMDB's magic number and the format, as of the opening.
    private var mark: UInt64 = 0
    private var slots: UInt32 = 0

    /// Maps the file before LMDB opens it, because closing a descriptor later would drop LMDB's locks.
    ///
    /// Nil if the file cannot be opened for writing: then LMDB either uses none, as on a read-only disk, or fails too.
    init?(in directory: String) {
        // SAFETY: plain C calls; the descriptor is local, and the mapping outlives it.
        let descriptor = unsafe open(directory + "/lock.mdb", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { _ = close(descriptor) }
        headBytes = sysconf(Int32(_SC_PAGESIZE))
        guard let identity = FileIdentity(of: descriptor),
            let head = unsafe mmap(nil, headBytes, PROT_READ, MAP_SHARED, descriptor, 0), unsafe head != MAP_FAILED
        else { return nil }
        self.identity = identity
        unsafe self.head = UnsafeRawPointer(head)
    }

    /// Unmaps the file. Call it once, after the last use.
    func end() { _ = unsafe munmap(UnsafeMutableRawPointer(mutating: head), headBytes) }

    /// The watch of the file that LMDB has just opened; nil if that is not the mapped one, has another layout, or counts the commits of
    /// another data file: the destruction of a key replaces that file, also while another process has it open.
    func begun(in directory: String, _ environment: OpaquePointer) -> LockWatch? {
        var slots: UInt32 = 0
        // SAFETY: the environment is open, so LMDB has given the file its size; the call stores one number.
        unsafe mdb_env_get_maxreaders(environment, &slots)
        guard FileIdentity(of: directory + "/lock.mdb") == identity else { return nil }
        var watch = self
        watch.mark = unsafe clmdb_lock_mark(head)
        watch.slots = slots
        guard watch.mark == LockFile.mark, unsafe watch.lastTransaction(environment) != nil else { return nil }
        return watch
    }

    /// The number of the last commit as LMDB will take it; nil if something overwrote it.
    @inline(__always)
    func lastTransaction(_ environment: OpaquePointer) -> Int? {
        let last = last
        if isPlausible(last, unsafe Self.newest(environment)) { return last }
        return unsafe settledTransaction(environment)
    }

    /// The number as of the newest head page.
    @inline(__always)
    @unsafe static func newest(_ environment: OpaquePointer) -> Int {
        var information = unsafe MDB_envinfo()
        // SAFETY: the environment is open; the call fills one local variable.
        unsafe mdb_env_info(environment, &information)
        return unsafe information.me_last_txnid
    }

    // SAFETY: the file is mapped until `end()`, and LMDB has given it its size.
    @inline(__always)
    private var last: Int { unsafe clmdb_lock_last_transaction(head) }

    // SAFETY: as above.
    @inline(__always)
    private var isMarked: Bool { unsafe clmdb_lock_mark(head) == mark && clmdb_lock_slots_used(head) <= slots }

    @inline(__always)
    private func isPlausible(_ last: Int, _ newest: Int) -> Bool { isMarked && (newest == last || newest == last &+ 1) }

    /// Any number of commits may come between two loads, so the number is compared with those before and after.
    @inline(never)
    @unsafe private func settledTransaction(_ environment: OpaquePointer) -> Int? {
        for _ in 0..<Self.checks {
            let before = unsafe Self.newest(environment)
            let last = last
            if isMarked, last >= before &- 1, unsafe last <= Self.newest(environment) { return last }
            usleep(Self.checkMicroseconds)
        }
        return nil
    }
}

extension Environment {
    /// Requires that nothing overwrote `lock.mdb`. Otherwise transactions would fail, wait for ever, or overwrite pages in use.
    ///
    /// - Throws: ``LMDBError/Code/lockDamaged``.
    public func requireLockFile() throws(LMDBError) { _ = try lastTransaction() }

    /// The number of the last commit; nil if LMDB uses no lock file, as on a read-only disk. Call it before each transaction, also because
    /// LMDB may wait for ever for an overwritten mutex.
    ///
    /// - Throws: ``LMDBError/Code/lockDamaged``.
    @inline(__always)
    func lastTransaction() throws(LMDBError) -> Int? {
        guard let watch = unsafe lockWatch else { return nil }
        guard let last = unsafe watch.lastTransaction(handle) else { throw lockDamage }
        return last
    }

    /// Requires that a transaction continues after a commit that exists: the last one before the transaction began, or a later one.
    /// Otherwise the transaction MUST NOT be used.
    ///
    /// - Throws: ``LMDBError/Code/lockDamaged``.
    @inline(__always)
    @unsafe func require(_ transaction: OpaquePointer, follows last: Int?, writes: Bool) throws(LMDBError) {
        guard let last else { return }
        // SAFETY: the caller's transaction is live.
        let followed = unsafe mdb_txn_id(transaction) &- (writes ? 1 : 0)
        if followed == last { return }
        if followed > last, unsafe followed <= LockWatch.newest(handle) { return }
        // An overwritten mutex stays mapped, as ``WriteTransaction`` explains.
        if writes { _ = unsafe Unmanaged.passRetained(self) } else { unsafe mdb_txn_abort(transaction) }
        throw lockDamage
    }

    private var lockDamage: LMDBError { DataFile.cause(of: LockFile.damaged(directory + "/lock.mdb"), in: directory) }
}
