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
@safe public final class Environment: Sendable {
    /// The folder, as it was given.
    public let directory: String
    /// What this process may do here.
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
