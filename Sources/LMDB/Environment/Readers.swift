internal import CLMDB
internal import Glibc
internal import Synchronization

extension Environment {
    /// A process's place in the table of readers, with the snapshot that it holds.
    public struct Reader: Sendable, Hashable {
        /// The process, by the id that it has in its own PID namespace.
        public let process: Int32
        /// The commit that the snapshot shows.
        public let transaction: Int

        /// For code that judges readers without an environment.
        public init(process: Int32, transaction: Int) { (self.process, self.transaction) = (process, transaction) }
    }

    /// The live snapshots of all processes; those at rest hold nothing and are left out.
    public var readers: [Reader] {
        let found = Found()
        // SAFETY: the environment is open; the list outlives the call, which is the only one to use it.
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

    /// Clears the slots of processes that have died, so that what their snapshots showed can be written over again.
    ///
    /// A process that is killed leaves its slot as it was. Every ``Limits/commitsPerReaderCheck`` write transactions begin with this.
    ///
    /// - Returns: how many slots were cleared.
    @discardableResult
    public func clearDeadReaders() -> Int {
        var dead: Int32 = 0
        // SAFETY: the environment is open. A failure leaves the slots as they are, until the next time.
        unsafe mdb_reader_check(handle, &dead)
        if dead > 0 { deadReaders.add(Int(dead), ordering: .relaxed) }
        return Int(dead)
    }

    /// Slots of dead processes that were cleared since the environment was opened.
    public var deadReadersCleared: Int { deadReaders.load(ordering: .relaxed) }

    /// Clears dead readers once in ``Limits/commitsPerReaderCheck`` calls: counted in commits and not in time, since commits are what a
    /// pinned snapshot makes the file grow by.
    func checkReadersNowAndThen() {
        let number = writes.add(1, ordering: .relaxed).newValue
        if number % Limits.commitsPerReaderCheck == 0 { clearDeadReaders() }
    }

    /// The lines of `mdb_reader_list`: process, thread and, of a live snapshot, the transaction; the first is a heading.
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
/// LMDB makes it sparse and writes to it through the map, so that on a full disk the first write is a SIGBUS. Allocating its
/// blocks before makes that an error. Only while this process has the folder claimed and not yet open: closing any descriptor
/// of this file drops the locks that the process holds on it.
///
/// Dead readers are cleared once in 256 commits, because a pinned snapshot costs pages with each commit, and once a minute by the server,
/// which warns about a live reader that stays.
///
/// LMDB identifies readers by process ID and detects whether one lives by a lock on the byte of that number, which works across PID
/// namespaces. A tool in another container is safe unless it has the server's very ID, as the first process of each container has; that is
/// refused by name. Slots of an earlier process with the same ID are cleared at the opening.
enum LockFile {
    /// Bytes of the file's head (`struct MDB_txninfo` without its first slot), and of one reader's slot.
    private static let headBytes = 128
    private static let slotBytes = 64

    /// Makes the file for `maxReaders` unless it exists, which another process may have mapped at just its size.
    ///
    /// - Throws: ``LMDBError/Code/diskFull``. Where the file may not be written, or the file system can not allocate, it does nothing.
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

    /// The offset of the process id in a slot.
    private static let processOffset = 8

    /// Clears the slots that an earlier process of this process's id has left, which LMDB takes for this process's own and so never
    /// clears: in a container the server has the same id after each restart. Before the environment is open, none is its own.
    ///
    /// Ids are compared under the lock by which LMDB says that a reader lives: a byte of the file, at the id. Such locks hold across PID
    /// namespaces, ids do not.
    ///
    /// - Throws: ``LMDBError/Code/sameProcessID`` when a process of another namespace that has this process's id lives.
    static func clearOwnSlots(in directory: String) throws(LMDBError) {
        let path = directory + "/lock.mdb"
        // SAFETY: plain C calls on a path and a local descriptor, closed here, which gives the lock back.
        let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { _ = close(descriptor) }
        var lock = flock()
        (lock.l_type, lock.l_whence, lock.l_start, lock.l_len) = (Int16(F_WRLCK), Int16(SEEK_SET), off_t(getpid()), 1)
        // SAFETY: fcntl reads the struct during the call.
        if unsafe fcntl(descriptor, F_SETLK, &lock) != 0 {
            if errno == EAGAIN || errno == EACCES { throw sameProcessID("fcntl", path) }
            return
        }
        let slots = ((FileIdentity(of: descriptor)?.size ?? 0) - headBytes) / slotBytes
        for slot in 0..<max(0, slots) { clear(headBytes + slot * slotBytes + processOffset, of: descriptor) }
    }

    private static func clear(_ offset: Int, of descriptor: Int32) {
        var process = pid_t(0)
        // SAFETY: reads and writes one local of the size that is named.
        guard unsafe pread(descriptor, &process, 4, off_t(offset)) == 4, process == getpid() else { return }
        process = 0
        _ = unsafe pwrite(descriptor, &process, 4, off_t(offset))
    }

    /// The refusal of an environment that a process of the same id uses.
    static func sameProcessID(_ call: String, _ path: String) -> LMDBError {
        LMDBError(
            .sameProcessID, call: call, path: path, text: "a process \(getpid()) of another PID namespace has it open for reading")
    }
}
