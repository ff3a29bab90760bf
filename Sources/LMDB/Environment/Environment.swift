internal import CLMDB
internal import Glibc
internal import Synchronization

/// An LMDB environment: a folder with one memory-mapped file of tables, many readers and one writer.
///
/// Readers and the writer never wait for each other. Share one instance between all threads; releasing it closes the folder. Transactions
/// borrow it, so that it stays open while any of them lives.
///
/// ## LMDB limitations
/// - A process cannot have a folder open twice. No other code may open and close `lock.mdb`, because closing it drops LMDB's locks.
/// - An environment does not survive `fork`; spawn processes with `exec`.
/// - Pages have no checksums: a flipped bit may show as ``LMDBError/Code/damaged``, as wrong bytes, or as an abort.
/// - If the open file is truncated, the process ends with SIGBUS. Earlier truncation is detected at opening.
/// - Under a file size limit, ignore SIGXFSZ to get ``LMDBError/Code/diskFull`` instead of the signal.
///
/// Address space is reserved, not allocated, so that the file can grow without stopping readers.
@safe public final class Environment: Sendable {
    /// The path as passed to the initializer.
    public let directory: String
    public let access: Access
    let options: Options
    /// Different for each environment of this process, so that another's table is rejected.
    let number: UInt32
    // SAFETY: any thread may use an MDB_env. Only deinit closes it, and no transaction outlives this object.
    nonisolated(unsafe) let handle: OpaquePointer
    // SAFETY: any thread may read the mapped file. Only deinit unmaps it.
    nonisolated(unsafe) let lockWatch: LockWatch?

    private let claim: EnvironmentClaim
    /// The open tables. The lock also guards `mdb_dbi_open`, which must not run concurrently.
    let tables = Mutex<[String: Table]>([:])
    /// Idle read transactions, as bit patterns of pointers: a new snapshot needs no allocation and no slot.
    let idle = Mutex<[UInt]>([])
    /// The live writer's thread, or 0.
    let writer = Atomic<UInt>(0)

    let writes = Atomic<Int>(0)
    let deadReaders = Atomic<Int>(0)
    /// After the last write of room, or 0.
    let fileEnd = Atomic<Int>(0)

    private static let lastNumber = Atomic<UInt32>(0)

    /// Opens the environment in a folder, and creates both for writing. Clears the reader slots of dead processes.
    ///
    /// - Throws: ``LMDBError`` `.missing`, `.foreign`, `.damaged` if the file is shorter than its used pages, `.locked`, `.alreadyOpen`,
    ///   `.sameProcessID`, `.mapFull` if the address space cannot be reserved, `.permission`, `.diskFull`, `.io`.
    public init(directory: String, access: Access, options: Options = .init()) throws(LMDBError) {
        let writes = access == .readWrite
        if writes { try DurableNames.makeFolder(directory) }
        claim = try EnvironmentClaim(directory: directory, writes: writes)
        let isNew = try DataFile.check(in: directory, mayBeMissing: writes)
        unsafe (handle, lockWatch) = try Self.open(directory, access: access, options: options, isNew: isNew)
        (self.directory, self.access, self.options) = (directory, access, options)
        number = Self.lastNumber.add(1, ordering: .relaxed).newValue
        idle.withLock { $0.reserveCapacity(Limits.idleSnapshotsMax) }
        // SAFETY: only transactions read the reference, and this object outlives them.
        unsafe mdb_env_set_userctx(handle, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        // SAFETY: no transaction is in use, because each borrows this object; the idle ones end here.
        for pattern in idle.withLock({ $0 }) { unsafe mdb_txn_abort(OpaquePointer(bitPattern: pattern)) }
        unsafe mdb_env_close(handle)
        unsafe lockWatch?.end()
    }

    /// Opens a snapshot of the last commit. Never waits.
    ///
    /// - Throws: ``LMDBError`` `.readersFull`, `.sameProcessID`, `.panic`, `.lockDamaged`, `.mapFull` if another process has let the file
    ///   grow beyond the address space reserved here.
    @_lifetime(borrow self)
    public func snapshot() throws(LMDBError) -> Snapshot { try Snapshot(self) }

    /// Begins the only write transaction; waits while another thread or process has one.
    ///
    /// - Throws: ``LMDBError`` `.misuse` if this thread already has one (it would deadlock), or the access is read-only; `.panic` after a
    ///   failed commit; `.lockDamaged`.
    @available(*, noasync)
    @_lifetime(borrow self)
    public func write() throws(LMDBError) -> WriteTransaction { try WriteTransaction(self) }
}

extension Environment {
    /// A process's access to an environment.
    public enum Access: Sendable, Hashable {
        /// Reads while others may write. Creates nothing except a missing `lock.mdb` in a writable folder.
        case readOnly
        /// Takes the folder's writer lock, so that at most one process writes.
        case readWrite
    }

    /// The guarantee of a commit that has returned.
    public enum Durability: Sendable, Hashable {
        /// On disk: each commit waits for `fdatasync`.
        case everyCommit
        /// In the page cache only. After a power failure or a system crash the file may be damaged; use it for derived data only.
        case none
    }

    /// Options for opening an environment. The defaults suit the event log.
    public struct Options: Sendable {
        /// The maximum number of open tables. Each adds a few hundred bytes to every transaction.
        public var tables = 16
        /// Bytes of address space to reserve, at no cost: the size to which the file may grow.
        ///
        /// If the system refuses, half is tried, and so on down to ``Limits/mapBytesFloor``. Nil means the larger of ``mapSizeDefault`` and
        /// an earlier writer's size, so that a reader sees everything.
        public var mapSizeMax: Int?
        /// Bytes to reserve if ``mapSizeMax`` is nil.
        public var mapSizeDefault = Limits.mapBytesDefault
        /// The name of the setting for ``mapSizeMax``, for the remedy of ``LMDBError/Code/mapFull``.
        public var mapSetting: String?
        /// The maximum concurrent snapshots in all processes. The number that created `lock.mdb` stays in force, until a process with a
        /// larger one opens the environment alone.
        public var maxReaders = 512
        public var durability = Durability.everyCommit
        /// The maximum bytes of zeros kept behind the used pages, so that flushed commits (``Durability/everyCommit``) seldom lengthen the
        /// file and are faster; 0 for none.
        public var roomBytes = 0
        /// Whether new pages are zeroed, at 4 KiB each. If not, old process memory gets onto the disk and into every copy, in unused parts
        /// of pages.
        public var zeroesPages = true
        /// Whether a failed assertion of LMDB, as at a damaged page, ends the process with a sentence and exit code 2, instead of SIGABRT.
        public var endsOnDamage = false

        /// Bytes of values that a cursor passes before it returns the memory of passed pages to the system; see ``WalkedPages``. Nil for
        /// never, which is faster if pages are read again soon.
        public var walkBytesHeld: Int?

        public init() {}
    }
}

extension Environment {
    @unsafe static func open(
        _ directory: String, access: Access, options: Options, isNew: Bool
    ) throws(LMDBError) -> (OpaquePointer, LockWatch?) {
        do throws(LMDBError) {
            try LockFile.allocate(in: directory, maxReaders: options.maxReaders)
            try LockFile.clearOwnSlots(in: directory)
            let (handle, watch) = try unsafe openWatched(directory, access: access, options: options)
            // A dead process's slot keeps pages from reuse.
            unsafe mdb_reader_check(handle, nil)
            do throws(LMDBError) {
                if access == .readWrite && options.durability == .everyCommit { try syncNames(directory, isNew: isNew) }
            } catch {
                unsafe mdb_env_close(handle)
                watch?.end()
                throw error
            }
            return unsafe (handle, watch)
        } catch {
            // The next open would mistake an empty file for a truncated environment.
            if isNew { DataFile.removeIfEmpty(in: directory) }
            if error.code == .foreign { try LockFile.requireOurs(in: directory) }
            throw error
        }
    }

    /// Needed at every opening for writing: the creating process may have been killed before its own flush, and a power failure would lose
    /// everything.
    private static func syncNames(_ directory: String, isNew: Bool) throws(LMDBError) {
        do { try DurableNames.flushWithParent(directory) } catch {
            // A folder that may not be read cannot be flushed, but its environment can be used.
            guard !isNew, error.code == .permission else { throw error }
        }
    }

    @unsafe private static func openWatched(
        _ directory: String, access: Access, options: Options
    ) throws(LMDBError) -> (OpaquePointer, LockWatch?) {
        let mapped = LockWatch(in: directory)
        do throws(LMDBError) {
            let handle = try unsafe openHalving(directory, access: access, options: options)
            guard let mapped else { return unsafe (handle, nil) }
            let watch = unsafe mapped.begun(in: directory, handle)
            if watch == nil { mapped.end() }
            return unsafe (handle, watch)
        } catch {
            mapped?.end()
            throw error
        }
    }

    @unsafe private static func openHalving(_ directory: String, access: Access, options: Options) throws(LMDBError) -> OpaquePointer {
        var mapBytes = options.mapSizeMax ?? max(options.mapSizeDefault, DataFile.mapBytes(in: directory) ?? 0)
        while true {
            do {
                return try unsafe openOnce(directory, flags: flags(access, options), mapBytes: mapBytes, options)
            } catch {
                guard error.code == .mapFull, mapBytes / 2 >= Limits.mapBytesFloor else {
                    throw DataFile.cause(of: error, in: directory)
                }
                mapBytes /= 2
            }
        }
    }

    /// NOTLS, because a snapshot may move between threads. Never WRITEMAP, which makes the file as large as the map. Read-ahead stays on,
    /// because the log is scanned from end to end.
    private static func flags(_ access: Access, _ options: Options) -> Int32 {
        var flags = MDB_NOTLS
        if access == .readOnly { flags |= MDB_RDONLY }
        if options.durability == .none { flags |= MDB_NOSYNC }
        if !options.zeroesPages { flags |= MDB_NOMEMINIT }
        return flags
    }

    // SAFETY: the handle is closed on every failing path, as LMDB requires even after a failed open.
    @unsafe private static func openOnce(
        _ directory: String, flags: Int32, mapBytes: Int, _ options: Options
    ) throws(LMDBError) -> OpaquePointer {
        var created: OpaquePointer?
        try require(unsafe mdb_env_create(&created), "mdb_env_create", directory)
        let handle = unsafe created!
        do {
            if options.endsOnDamage { unsafe endsOnDamage(handle) }
            try require(unsafe mdb_env_set_maxdbs(handle, UInt32(options.tables)), "mdb_env_set_maxdbs", directory)
            try require(unsafe mdb_env_set_maxreaders(handle, UInt32(options.maxReaders)), "mdb_env_set_maxreaders", directory)
            try require(unsafe mdb_env_set_mapsize(handle, mapBytes), "mdb_env_set_mapsize", directory)
            let mode = mdb_mode_t(Limits.fileMode)
            try require(unsafe mdb_env_open(handle, directory, UInt32(flags), mode), "mdb_env_open", directory)
            return unsafe handle
        } catch {
            unsafe mdb_env_close(handle)
            throw error
        }
    }

    static func require(_ number: Int32, _ call: String, _ directory: String) throws(LMDBError) {
        guard number != 0 else { return }
        throw LMDBError(number: number, call: call, path: directory)
    }
}

extension Environment {
    private static let workshopName = "/new"

    /// Creates a folder's environment atomically: after a power failure, it is complete or absent, and the next call starts again.
    ///
    /// The environment is filled in a temporary folder and flushed, then its file is moved into `directory` under the writer lock. An
    /// existing environment is left alone.
    ///
    /// - Parameter fill: stores the initial content; it MUST NOT keep the environment.
    /// - Throws: as ``init(directory:access:options:)`` for writing; any error of `fill`, with no environment created.
    public static func make(
        in directory: String, options: Options = .init(), _ fill: (Environment) throws(LMDBError) -> Void
    ) throws(LMDBError) {
        try DurableNames.makeFolder(directory)
        let lock = try WriterLock.take(in: directory)
        defer { WriterLock.release(lock) }
        if FileIdentity(of: directory + "/data.mdb") != nil { return }
        let workshop = directory + workshopName
        clear(workshop)
        try fillNew(workshop, options, fill)
        // A crash before the move leaves a temporary folder, which the next call clears.
        try move(workshop + "/data.mdb", to: directory + "/data.mdb")
        clear(workshop)
        try DurableNames.flushWithParent(directory)
    }

    private static func fillNew(_ workshop: String, _ options: Options, _ fill: (Environment) throws(LMDBError) -> Void) throws(LMDBError) {
        var options = options
        options.durability = .everyCommit
        let environment = try Environment(directory: workshop, access: .readWrite, options: options)
        try fill(environment)
        try environment.sync()
    }

    private static func move(_ old: String, to new: String) throws(LMDBError) {
        try DurableNames.flush(old)
        // SAFETY: a plain C call on two paths.
        if unsafe rename(old, new) != 0 { throw LMDBError(number: errno, call: "rename", path: new) }
    }

    private static func clear(_ workshop: String) {
        for name in ["/data.mdb", "/lock.mdb", "/writer.lock"] { DurableNames.remove(workshop + name) }
        // SAFETY: a plain C call on a path.
        _ = unsafe rmdir(workshop)
    }
}
