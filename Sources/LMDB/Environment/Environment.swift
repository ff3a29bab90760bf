internal import CLMDB
internal import Glibc
internal import Synchronization

/// An LMDB environment: a folder with one memory-mapped file of tables, many readers and one writer.
///
/// Readers never wait for the writer nor the writer for readers. Share one instance between all threads; releasing it closes
/// the folder. Transactions borrow it, so the compiler keeps it open as long as any of them lives.
///
/// ## LMDB limitations
/// - A process may open a folder once; a second time is refused with ``LMDBError/Code/alreadyOpen``. Nothing else in the process
///   may open and close `lock.mdb`: that would drop the locks.
/// - It does not survive `fork`; spawn processes with `exec`.
/// - Pages have no checksums: a flipped bit may show as ``LMDBError/Code/damaged``, as wrong bytes, or as an abort.
/// - A file that another program truncates while it is open ends the process with SIGBUS. Truncation before is found at open.
/// - The process should ignore SIGXFSZ where a file size limit is set, to get ``LMDBError/Code/diskFull`` instead of the signal.
///
/// Address space is reserved, not allocated, so that a file grows by itself and no reader has to stop for it. A terabyte for each
/// environment was tried: a process has 128 of them, and a test run with hundreds of environments ran out.
@safe public final class Environment: Sendable {
    /// The folder, as it was given.
    public let directory: String
    /// The access that this process has.
    public let access: Access
    let options: Options
    /// Tells the tables of one environment from those of another in this process.
    let number: UInt32
    // SAFETY: an MDB_env may be used from any thread; it is closed by deinit alone, which no transaction outlives.
    nonisolated(unsafe) let handle: OpaquePointer

    private let claim: EnvironmentClaim
    /// Guards `mdb_dbi_open`, which must not run twice at once.
    let tables = Mutex<[String: Table]>([:])
    /// Read transactions at rest, as bit patterns, kept so that a snapshot costs no allocation and no reader-slot search.
    let idle = Mutex<[UInt]>([])
    /// The thread of the live write transaction, or 0.
    let writer = Atomic<UInt>(0)

    /// Write transactions begun, and slots of dead readers cleared, since this was opened.
    let writes = Atomic<Int>(0)
    let deadReaders = Atomic<Int>(0)

    private static let lastNumber = Atomic<UInt32>(0)

    /// Opens the environment in a folder, and makes both if the access and the options allow it.
    ///
    /// Clears reader slots that dead processes have left.
    ///
    /// - Throws: ``LMDBError/Code/missing``, ``LMDBError/Code/foreign``, ``LMDBError/Code/damaged`` when the file is shorter than its
    ///   used pages, ``LMDBError/Code/locked``, ``LMDBError/Code/alreadyOpen``, ``LMDBError/Code/mapFull`` when the address space can
    ///   not be reserved, ``LMDBError/Code/permission``, ``LMDBError/Code/diskFull``, ``LMDBError/Code/io``.
    public init(directory: String, access: Access, options: Options = .init()) throws(LMDBError) {
        let creates = access == .readWrite && options.create
        if creates { try Folder.make(directory) }
        claim = try EnvironmentClaim(directory: directory, writes: access == .readWrite)
        let isNew = try DataFile.check(in: directory, mayBeMissing: creates)
        unsafe handle = try Self.open(directory, access: access, options: options, isNew: isNew)
        self.directory = directory
        self.access = access
        self.options = options
        number = Self.lastNumber.add(1, ordering: .relaxed).newValue
        idle.withLock { $0.reserveCapacity(Limits.idleSnapshotsMax) }
        // SAFETY: read back only through transactions, which this object outlives.
        unsafe mdb_env_set_userctx(handle, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        // SAFETY: no transaction is live, as each borrows this object; those at rest end here.
        for pattern in idle.withLock({ $0 }) {
            unsafe mdb_txn_abort(OpaquePointer(bitPattern: pattern))
        }
        unsafe mdb_env_close(handle)
    }

    /// The environment as of its last commit, for reading. Never waits.
    ///
    /// - Throws: ``LMDBError/Code/readersFull``, ``LMDBError/Code/panic``, ``LMDBError/Code/mapFull`` when another process has let the file
    ///   grow past the address space reserved here.
    @_lifetime(borrow self)
    public func snapshot() throws(LMDBError) -> Snapshot { try Snapshot(self) }

    /// Begins the one write transaction; waits while another thread or process has one.
    ///
    /// - Throws: ``LMDBError/Code/misuse`` when this thread has one already (it would wait for itself for ever), or the access is
    ///   read-only; ``LMDBError/Code/panic`` after a failed commit.
    @available(*, noasync)
    @_lifetime(borrow self)
    public func write() throws(LMDBError) -> WriteTransaction { try WriteTransaction(self) }
}

extension Environment {
    /// The access of a process to an environment.
    public enum Access: Sendable, Hashable {
        /// Reads beside a writer in this or another process. Never creates a folder, a file or a table.
        case readOnly
        /// Takes the folder's writer lock, so that there is one writing process at most.
        case readWrite
    }

    /// The guarantee of a returned commit.
    public enum Durability: Sendable, Hashable {
        /// On disk: each commit waits for `fdatasync`.
        case everyCommit
        /// In the page cache only. Survives the end of the process, not that of the machine, after which the file may be
        /// damaged: for derived data alone.
        case none
    }

    /// How to open an environment. The defaults suit the log.
    public struct Options: Sendable {
        /// Tables that may be opened; each costs a few hundred bytes in every transaction.
        public var tables = 16
        /// Bytes of address space to reserve, the largest size that the file may grow to. It costs no memory and no disk.
        ///
        /// Where the process may not reserve that much, it is halved, down to ``Limits/mapBytesFloor``. Nil takes ``mapSizeDefault``, or
        /// the size that an earlier writer reserved for the file where that is larger: a reader must see all that a writer may store.
        public var mapSizeMax: Int?
        /// Bytes to reserve where ``mapSizeMax`` is nil.
        public var mapSizeDefault = Limits.mapBytesDefault
        /// The setting's name for ``mapSizeMax``, for the remedy of ``LMDBError/Code/mapFull``; nil if there is no setting.
        public var mapSetting: String?
        /// Snapshots that may live at once, over all processes. The first process to open the environment decides.
        public var maxReaders = 512
        /// The guarantee of a returned commit.
        public var durability = Durability.everyCommit
        /// Whether ``Access/readWrite`` makes a missing folder and environment.
        public var create = true
        /// Whether new pages are zeroed before use. If not, the unused part of a page carries what the process's memory held
        /// before, onto the disk and into every copy; it costs one 4 KiB fill for a page that is new to the process.
        public var zeroesPages = true
        /// Whether an assertion of LMDB's, which a damaged page can bring about, ends the process with a sentence on standard error and
        /// exit code 2 in place of a trace and SIGABRT: for tools.
        public var endsOnDamage = false

        /// Bytes of values after which a cursor that moves from entry to entry returns the memory behind it to the system; see
        /// ``WalkedPages``. Nil keeps it mapped, which is quicker if it is read again soon.
        public var walkBytesHeld: Int?

        /// The defaults.
        public init() {}
    }
}

extension Environment {
    /// Opens the files, with less address space when the process may not reserve what was asked for.
    @unsafe static func open(
        _ directory: String, access: Access, options: Options, isNew: Bool
    ) throws(LMDBError) -> OpaquePointer {
        do {
            try LockFile.allocate(in: directory, maxReaders: options.maxReaders)
            try LockFile.clearOwnSlots(in: directory)
            let handle = try unsafe openHalving(directory, access: access, options: options)
            // A slot of a process that died would keep its pages from reuse; a failure here costs no more than that.
            unsafe mdb_reader_check(handle, nil)
            if isNew && options.durability == .everyCommit { try Folder.syncWithParent(directory) }
            return unsafe handle
        } catch {
            // A first open that failed for want of space would else leave an empty file that looks like a truncated log.
            if isNew { DataFile.removeIfEmpty(in: directory) }
            throw error
        }
    }

    @unsafe private static func openHalving(
        _ directory: String, access: Access, options: Options
    ) throws(LMDBError) -> OpaquePointer {
        var mapBytes = options.mapSizeMax ?? max(options.mapSizeDefault, DataFile.mapBytes(in: directory) ?? 0)
        while true {
            do {
                return try unsafe openOnce(directory, flags: flags(access, options), mapBytes: mapBytes, options)
            } catch {
                guard error.code == .mapFull, mapBytes / 2 >= Limits.mapBytesFloor else { throw error }
                mapBytes /= 2
            }
        }
    }

    /// NOTLS: a snapshot belongs to its value, not to a thread. Never WRITEMAP: it would make the file as large as the map.
    /// Read-ahead stays on, because the log is scanned from end to end.
    private static func flags(_ access: Access, _ options: Options) -> Int32 {
        var flags = MDB_NOTLS
        if access == .readOnly { flags |= MDB_RDONLY }
        if options.durability == .none { flags |= MDB_NOSYNC }
        if !options.zeroesPages { flags |= MDB_NOMEMINIT }
        return flags
    }

    // SAFETY: the handle is closed on every failing path, as LMDB asks for even after a failed open.
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
    /// The folder of an environment until it is complete.
    private static let workshopName = "/new"

    /// Makes the environment of a folder atomically: after a power cut at any moment the next call starts again.
    ///
    /// The environment is filled in a folder of its own, flushed, and only then renamed, while this process holds the writer's lock. The
    /// remains of an interrupted call are removed; an existing environment stays as it is.
    ///
    /// - Parameter fill: stores the initial content; it MUST NOT keep the environment.
    /// - Throws: as ``init(directory:access:options:)`` for writing; errors of `fill`, with nothing made.
    public static func make(
        in directory: String, options: Options = .init(), _ fill: (Environment) throws(LMDBError) -> Void
    ) throws(LMDBError) {
        try Folder.make(directory)
        let lock = try WriterLock.take(in: directory)
        defer { WriterLock.release(lock) }
        if FileIdentity(of: directory + "/data.mdb") != nil { return }
        let workshop = directory + workshopName
        clear(workshop)
        try fillNew(workshop, options, fill)
        // A crash before this leaves a folder that the next call clears; after it, the whole environment under its name.
        try move(workshop + "/data.mdb", to: directory + "/data.mdb")
        clear(workshop)
        try Folder.syncWithParent(directory)
    }

    /// The environment is closed when this returns.
    private static func fillNew(
        _ workshop: String, _ options: Options, _ fill: (Environment) throws(LMDBError) -> Void
    ) throws(LMDBError) {
        var options = options
        options.durability = .everyCommit
        let environment = try Environment(directory: workshop, access: .readWrite, options: options)
        try fill(environment)
        try environment.sync()
    }

    private static func move(_ old: String, to new: String) throws(LMDBError) {
        try Folder.sync(old)
        // SAFETY: a plain C call on two paths.
        if unsafe rename(old, new) != 0 { throw LMDBError(number: errno, call: "rename", path: new) }
    }

    /// Removes the files that an environment consists of, and their folder; it is no error when they are not there.
    private static func clear(_ workshop: String) {
        for name in ["/data.mdb", "/lock.mdb", "/writer.lock"] {
            // SAFETY: plain C calls on a path.
            _ = unsafe unlink(workshop + name)
        }
        _ = unsafe rmdir(workshop)
    }
}
