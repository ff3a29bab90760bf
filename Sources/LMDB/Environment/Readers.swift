internal import CLMDB
internal import Glibc
internal import Synchronization

extension Environment {
    /// A reader slot in use: a process and the snapshot that it holds.
    public struct Reader: Sendable, Hashable {
        /// The process id, as seen in the process's own PID namespace.
        public let process: Int32
        /// The number of the commit that the snapshot shows.
        public let transaction: Int

        /// Creates a value without an environment, for code that evaluates readers.
        public init(process: Int32, transaction: Int) { (self.process, self.transaction) = (process, transaction) }
    }

    /// The live snapshots of all processes. Idle read transactions hold no snapshot and are not included.
    public var readers: [Reader] {
        let found = Found()
        // SAFETY: the environment is open; the list outlives the call, and only this call uses it.
        _ = unsafe mdb_reader_list(
            handle,
            { line, context in
                guard let line = unsafe line, let context = unsafe context else { return 0 }
                let text = unsafe String(cString: line)
                unsafe Unmanaged<Found>.fromOpaque(context).takeUnretainedValue().add(text)
                return 0
            }, Unmanaged.passUnretained(found).toOpaque())
        return withExtendedLifetime(found) { found.readers }
    }

    /// Clears the slots of dead processes, so that the pages of their snapshots can be reused.
    ///
    /// A killed process leaves its slot occupied. The writer calls this method once in ``Limits/commitsPerReaderCheck`` write transactions.
    ///
    /// - Returns: the number of cleared slots.
    @discardableResult
    public func clearDeadReaders() -> Int {
        var dead: Int32 = 0
        // SAFETY: the environment is open. A failure leaves the slots for the next check.
        unsafe mdb_reader_check(handle, &dead)
        if dead > 0 { deadReaders.add(Int(dead), ordering: .relaxed) }
        return Int(dead)
    }

    /// The number of slots of dead processes cleared since the environment was opened.
    public var deadReadersCleared: Int { deadReaders.load(ordering: .relaxed) }

    /// Clears dead readers once in ``Limits/commitsPerReaderCheck`` calls. The interval is a number of commits and not a time, because the
    /// file grows with each commit while a dead reader pins a snapshot.
    func checkReadersNowAndThen() {
        let number = writes.add(1, ordering: .relaxed).newValue
        if number % Limits.commitsPerReaderCheck == 0 { clearDeadReaders() }
    }

    /// Collects the lines of `mdb_reader_list`: a heading, then process, thread and, for a live snapshot, the transaction.
    private final class Found {
        private(set) var readers: [Reader] = []

        func add(_ line: String) {
            let fields = line.split { $0 == " " || $0 == "\n" }
            guard fields.count == 3, let process = Int32(fields[0]), let transaction = Int(fields[2]) else { return }
            readers.append(Reader(process: process, transaction: transaction))
        }
    }
}

/// `lock.mdb`: LMDB's table of readers, mapped and shared between processes.
///
/// LMDB creates the file sparse and writes to it through the map, so on a full disk the first write causes SIGBUS. Allocating the file's
/// blocks in advance turns the signal into an error. This is safe only while this process has claimed the folder and not opened it yet:
/// closing any descriptor of this file drops the locks that the process holds on it.
///
/// Dead readers are cleared once in 256 commits, because the file grows with each commit while a snapshot is pinned. The server also clears
/// them once a minute, and warns about a live reader that holds a snapshot for long.
///
/// LMDB identifies readers by process id. To see whether a process lives, LMDB tests the lock on the byte of the file whose offset is the
/// process id. This works across PID namespaces. A tool in another container is safe unless it has the same process id as the server, as
/// the first process of each container does; that case fails with ``LMDBError/Code/sameProcessID``. Slots of an earlier process with the
/// same id are cleared at opening.
enum LockFile {
    /// Bytes of the file's head (`struct MDB_txninfo` without its first slot), and of one reader slot.
    private static let headBytes = 128
    private static let slotBytes = 64

    /// Creates the file with slots for `maxReaders` readers. An existing file keeps its size, because another process may have mapped it.
    ///
    /// Does nothing if the file is not writable or the file system cannot allocate blocks.
    ///
    /// - Throws: ``LMDBError/Code/diskFull``.
    static func allocate(in directory: String, maxReaders: Int) throws(LMDBError) {
        let path = directory + "/lock.mdb"
        // SAFETY: plain C calls on a path and a local descriptor, closed here.
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode_t(Limits.fileMode))
        guard descriptor >= 0 else { return }
        defer { _ = close(descriptor) }
        guard FileIdentity(of: path)?.size == 0 else { return }
        let number = posix_fallocate(descriptor, 0, headBytes + maxReaders * slotBytes)
        if LMDBError.Code(number: number) == .diskFull { throw LMDBError(number: number, call: "posix_fallocate", path: path) }
    }

    /// The offset of the process id within a slot.
    private static let processOffset = 8

    /// Clears the slots that an earlier process with this process's id has left. LMDB mistakes them for this process's own slots and never
    /// clears them. This happens in a container, where the server has the same id after each restart. Call it before the environment is
    /// opened, while this process has no slot.
    ///
    /// First the byte of the file whose offset is the process id is locked. This fails if another process of that id lives. Such locks work
    /// across PID namespaces, although process ids are not unique across them.
    ///
    /// - Throws: ``LMDBError/Code/sameProcessID`` if a process in another namespace has this process's id, and uses the environment.
    static func clearOwnSlots(in directory: String) throws(LMDBError) {
        let path = directory + "/lock.mdb"
        // SAFETY: plain C calls on a path and a local descriptor; closing it here releases the lock.
        let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { _ = close(descriptor) }
        var lock = flock()
        (lock.l_type, lock.l_whence, lock.l_start, lock.l_len) = (Int16(F_WRLCK), Int16(SEEK_SET), off_t(getpid()), 1)
        // SAFETY: fcntl reads the struct only during the call.
        if unsafe fcntl(descriptor, F_SETLK, &lock) != 0 {
            if errno == EAGAIN || errno == EACCES { throw sameProcessID("fcntl", path) }
            return
        }
        let slots = ((FileIdentity(of: descriptor)?.size ?? 0) - headBytes) / slotBytes
        for slot in 0..<max(0, slots) { clear(headBytes + slot * slotBytes + processOffset, of: descriptor) }
    }

    private static func clear(_ offset: Int, of descriptor: Int32) {
        var process = pid_t(0)
        // SAFETY: reads and writes four bytes of one local variable of that size.
        guard unsafe pread(descriptor, &process, 4, off_t(offset)) == 4, process == getpid() else { return }
        process = 0
        _ = unsafe pwrite(descriptor, &process, 4, off_t(offset))
    }

    /// LMDB's mark at the beginning of the file.
    private static let magic: UInt32 = 0xBEEF_C0DE

    /// Requires that the file begins as LMDB's. The first process to open an environment makes the file anew; later ones refuse another
    /// beginning. As ``allocate(in:maxReaders:)``, only while this process has not opened the environment.
    ///
    /// - Throws: ``LMDBError/Code/lockDamaged``.
    static func requireOurs(in directory: String) throws(LMDBError) {
        let path = directory + "/lock.mdb"
        // SAFETY: plain C calls on a path and a local descriptor; reads four bytes into one local variable of that size.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { _ = close(descriptor) }
        var found: UInt32 = 0
        guard unsafe pread(descriptor, &found, 4, 0) == 4, found != magic else { return }
        throw damaged(path)
    }

    static func damaged(_ path: String) -> LMDBError {
        LMDBError(.lockDamaged, call: "mdb_env_open", path: path, text: "\(path) was overwritten while a process has it open")
    }

    /// The error for an environment that a process with the same id in another PID namespace uses.
    static func sameProcessID(_ call: String, _ path: String) -> LMDBError {
        LMDBError(
            .sameProcessID, call: call, path: path, text: "a process \(getpid()) of another PID namespace has it open for reading")
    }
}
