internal import CLMDB
internal import Glibc
internal import Synchronization

/// An LMDB environment: a folder with one memory-mapped file of tables, many readers and one writer.
///
/// Readers never wait for the writer, nor the writer for readers. Share one instance between all threads; releasing it closes the folder.
/// Transactions borrow it, so that the compiler keeps it open as long as any of them lives.
///
/// ## LMDB limitations
/// - A process cannot have a folder open twice; the second attempt fails with ``LMDBError/Code/alreadyOpen``. No other code in the process
///   may open and close `lock.mdb`, because closing it would drop LMDB's locks.
/// - An environment does not survive `fork`; spawn processes with `exec`.
/// - Pages have no checksums: a flipped bit may show as ``LMDBError/Code/damaged``, as wrong bytes, or as an abort.
/// - If another program truncates the file while it is open, the process ends with SIGBUS. Earlier truncation is detected at opening.
/// - If a file size limit is set, the process should ignore SIGXFSZ to get ``LMDBError/Code/diskFull`` instead of the signal.
///
/// Address space is reserved, not allocated, so that the file can grow without stopping readers. A terabyte for each environment would be
/// too much: a process has 128 TiB of addresses, and a test run with hundreds of environments exhausted them.
@safe public final class Environment: Sendable {
    /// The folder's path, as passed to the initializer.
    public let directory: String
    /// The access that this process has.
    public let access: Access
    let options: Options
    /// A number that is different for each environment of this process. Tables carry it, so that a table of another environment is
    /// rejected.
    let number: UInt32
    // SAFETY: any thread may use an MDB_env. Only deinit closes it, and no transaction outlives this object.
    nonisolated(unsafe) let handle: OpaquePointer

    private let claim: EnvironmentClaim
    /// The open tables by name. The lock also guards `mdb_dbi_open`, which must not run concurrently.
    let tables = Mutex<[String: Table]>([:])
    /// Idle read transactions, as bit patterns of their pointers. They are kept so that a new snapshot needs no allocation and no search
    /// for a reader slot.
    let idle = Mutex<[UInt]>([])
    /// The number of the thread that has the live write transaction; 0 if there is none.
    let writer = Atomic<UInt>(0)

    /// The number of write transactions begun since the environment was opened, for the periodic check for dead readers.
    let writes = Atomic<Int>(0)
    let deadReaders = Atomic<Int>(0)
    /// The file's length in bytes after the last write of room; 0 before the first. The file may be longer meanwhile.
    let fileEnd = Atomic<Int>(0)

    private static let lastNumber = Atomic<UInt32>(0)

    /// Opens the environment in a folder. Creates the folder and the environment if the access and the options permit it.
    ///
    /// Clears the reader slots of dead processes.
    ///
    /// - Throws: ``LMDBError/Code/missing``, ``LMDBError/Code/foreign``, ``LMDBError/Code/damaged`` if the file is shorter than its used
    ///   pages, ``LMDBError/Code/locked``, ``LMDBError/Code/alreadyOpen``, ``LMDBError/Code/sameProcessID``, ``LMDBError/Code/mapFull`` if
    ///   the address space cannot be reserved, ``LMDBError/Code/permission``, ``LMDBError/Code/diskFull``, ``LMDBError/Code/io``.
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
        // SAFETY: only transactions read the stored reference, and this object outlives them.
        unsafe mdb_env_set_userctx(handle, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        // SAFETY: no transaction is in use, because each borrows this object. The idle transactions end here.
        for pattern in idle.withLock({ $0 }) {
            unsafe mdb_txn_abort(OpaquePointer(bitPattern: pattern))
        }
        unsafe mdb_env_close(handle)
    }

    /// Opens a snapshot of the last commit. Never waits.
    ///
    /// - Throws: ``LMDBError/Code/readersFull``, ``LMDBError/Code/sameProcessID``, ``LMDBError/Code/panic``, ``LMDBError/Code/mapFull`` if
    ///   another process has let the file grow beyond the address space reserved here.
    @_lifetime(borrow self)
    public func snapshot() throws(LMDBError) -> Snapshot { try Snapshot(self) }

    /// Begins the only write transaction; waits while another thread or process has one.
    ///
    /// - Throws: ``LMDBError/Code/misuse`` if this thread already has one (it would deadlock), or the access is read-only;
    ///   ``LMDBError/Code/panic`` after a failed commit.
    @available(*, noasync)
    @_lifetime(borrow self)
    public func write() throws(LMDBError) -> WriteTransaction { try WriteTransaction(self) }
}

extension Environment {
    /// The access of a process to an environment.
    public enum Access: Sendable, Hashable {
        /// Reads while this or another process may write. Never creates a folder, an environment or a table, but creates `lock.mdb` if it
        /// is missing and the folder is writable.
        case readOnly
        /// Takes the folder's writer lock, so that at most one process writes.
        case readWrite
    }

    /// The guarantee that a commit gives when it has returned.
    public enum Durability: Sendable, Hashable {
        /// The commit is on disk, because each commit waits for `fdatasync`.
        case everyCommit
        /// The commit is in the page cache only. It survives the end of the process, but not a power failure or a crash of the system,
        /// after which the file may be damaged. Use it for derived data only.
        case none
    }

    /// Options for opening an environment. The defaults suit the event log.
    public struct Options: Sendable {
        /// The maximum number of open tables. Each adds a few hundred bytes to every transaction.
        public var tables = 16
        /// Bytes of address space to reserve: the size to which the file may grow. Reserving costs no memory and no disk space.
        ///
        /// If the system refuses that much, half of it is tried, and so on down to ``Limits/mapBytesFloor``. Nil means ``mapSizeDefault``,
        /// or the size that an earlier writer reserved if that is larger: a reader must be able to see everything that a writer may store.
        public var mapSizeMax: Int?
        /// Bytes to reserve if ``mapSizeMax`` is nil.
        public var mapSizeDefault = Limits.mapBytesDefault
        /// The name of the setting for ``mapSizeMax``, used in the remedy of ``LMDBError/Code/mapFull``; nil if there is no setting.
        public var mapSetting: String?
        /// The maximum number of concurrent snapshots in all processes. The number with which `lock.mdb` was created stays in force, unless
        /// a process with a larger number opens the environment while no other process has it open.
        public var maxReaders = 512
        /// The guarantee that a commit gives when it has returned.
        public var durability = Durability.everyCommit
        /// The maximum number of bytes of zeros that commits keep written behind the file's used pages, so that most commits do not make
        /// the file longer and are flushed faster; 0 for none. Only commits that are flushed (``Durability/everyCommit``) gain from it.
        public var roomBytes = 0
        /// Whether ``Access/readWrite`` creates a missing folder and environment.
        public var create = true
        /// Whether new pages are zeroed before use. If not, old process memory gets onto the disk, and into every copy, in the unused parts
        /// of pages. Zeroing costs one 4 KiB fill for each page that is new to the process.
        public var zeroesPages = true
        /// Whether a failed assertion of LMDB ends the process with a sentence on standard error and exit code 2, instead of a trace and
        /// SIGABRT. A damaged page can cause a failed assertion. Tools set this option.
        public var endsOnDamage = false

        /// The number of bytes of values that a cursor passes, moving from entry to entry, before it returns the memory of the passed pages
        /// to the system; see ``WalkedPages``. Nil means that no memory is returned, which is faster if the pages are read again soon.
        public var walkBytesHeld: Int?

        /// Creates the default options.
        public init() {}
    }
}

extension Environment {
    /// Opens the files, with less address space if the system refuses the requested amount.
    @unsafe static func open(
        _ directory: String, access: Access, options: Options, isNew: Bool
    ) throws(LMDBError) -> OpaquePointer {
        do throws(LMDBError) {
            try LockFile.allocate(in: directory, maxReaders: options.maxReaders)
            try LockFile.clearOwnSlots(in: directory)
            let handle = try unsafe openHalving(directory, access: access, options: options)
            // The reader slot of a dead process keeps pages from being reused. A failure to clear such slots does no other harm.
            unsafe mdb_reader_check(handle, nil)
            do throws(LMDBError) {
                if access == .readWrite && options.durability == .everyCommit { try syncNames(directory, isNew: isNew) }
            } catch {
                unsafe mdb_env_close(handle)
                throw error
            }
            return unsafe handle
        } catch {
            // If opening a new environment fails, for example for lack of space, an empty file may remain. The next open would mistake it
            // for a truncated environment.
            if isNew { DataFile.removeIfEmpty(in: directory) }
            if error.code == .foreign { try LockFile.requireOurs(in: directory) }
            throw error
        }
    }

    /// Makes the names of the environment's file and folder durable.
    ///
    /// This is needed at every opening for writing. The process that created the environment may have been killed before its own flush. The
    /// names then are in the page cache only, and a power failure would lose the environment with all commits.
    private static func syncNames(_ directory: String, isNew: Bool) throws(LMDBError) {
        do { try Folder.syncWithParent(directory) } catch {
            // A folder that may not be read cannot be flushed. This does not prevent the use of an environment that exists.
            guard !isNew, error.code == .permission else { throw error }
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

    /// The flags for LMDB. NOTLS is set, because a snapshot may move between threads. WRITEMAP is never set, because it would make the file
    /// as large as the map. Read-ahead stays on, because the log is scanned from end to end.
    private static func flags(_ access: Access, _ options: Options) -> Int32 {
        var flags = MDB_NOTLS
        if access == .readOnly { flags |= MDB_RDONLY }
        if options.durability == .none { flags |= MDB_NOSYNC }
        if !options.zeroesPages { flags |= MDB_NOMEMINIT }
        return flags
    }

    // SAFETY: the handle is closed on every failing path, which LMDB requires even after a failed open.
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
    /// The temporary folder in which a new environment is filled.
    private static let workshopName = "/new"

    /// Creates a folder's environment atomically: after a power failure at any time, the folder has either the complete environment or
    /// none. In the latter case, the next call starts again.
    ///
    /// The environment is filled in a temporary folder and flushed, and only then is its file moved into `directory`, while this process
    /// holds the writer lock. If the folder already has an environment, the call does nothing. Otherwise it first removes the remains of an
    /// interrupted call.
    ///
    /// - Parameter fill: stores the initial content; it MUST NOT keep the environment.
    /// - Throws: as ``init(directory:access:options:)`` for writing; any error of `fill`, in which case no environment is created.
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
        // A crash before the move leaves a temporary folder, which the next call of this function clears. A crash after the move leaves the
        // complete environment, and the next opening for writing makes its name durable.
        try move(workshop + "/data.mdb", to: directory + "/data.mdb")
        clear(workshop)
        try Folder.syncWithParent(directory)
    }

    /// Opens, fills and closes the environment in the temporary folder.
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

    /// Removes the files of an environment and their folder, if they exist.
    private static func clear(_ workshop: String) {
        for name in ["/data.mdb", "/lock.mdb", "/writer.lock"] {
            // SAFETY: plain C calls on a path.
            _ = unsafe unlink(workshop + name)
        }
        _ = unsafe rmdir(workshop)
    }
}
