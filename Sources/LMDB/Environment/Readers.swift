internal import CLMDB
internal import Glibc
internal import Synchronization

extension Environment {
    /// A reader slot in use: a process and the snapshot that it holds.
    public struct Reader: Sendable, Hashable {
        /// The process id in the process's own PID namespace.
        public let process: Int32
        /// The number of the commit that the snapshot shows.
        public let transaction: Int

        public init(process: Int32, transaction: Int) { (self.process, self.transaction) = (process, transaction) }
    }

    /// The live snapshots of all processes, without idle read transactions.
    public var readers: [Reader] {
        let found = Found()
        // LMDB would read as many slots as an overwritten file says.
        guard (try? requireLockFile()) != nil else { return [] }
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

    /// Clears the slots that killed processes left, so that their pages can be reused; returns their number. The writer does this once in
    /// ``Limits/commitsPerReaderCheck`` transactions.
    @discardableResult
    public func clearDeadReaders() -> Int {
        guard (try? requireLockFile()) != nil else { return 0 }
        var dead: Int32 = 0
        // SAFETY: the environment is open. A failure leaves the slots for the next check.
        unsafe mdb_reader_check(handle, &dead)
        if dead > 0 { deadReaders.add(Int(dead), ordering: .relaxed) }
        return Int(dead)
    }

    /// The slots cleared since the environment was opened.
    public var deadReadersCleared: Int { deadReaders.load(ordering: .relaxed) }

    /// Counts commits and not time, because each commit makes the file grow while a dead reader pins a snapshot.
    func checkReadersNowAndThen() {
        let number = writes.add(1, ordering: .relaxed).newValue
        if number % Limits.commitsPerReaderCheck == 0 { clearDeadReaders() }
    }

    /// Lines are a heading, then process, thread and perhaps transaction.
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
/// LMDB writes the sparse file through the map, which on a full disk causes SIGBUS; allocating its blocks in advance causes an error
/// instead. This is safe only between claiming and opening the folder: closing any descriptor of this file drops the process's locks.
///
/// A reader is alive if it locks the byte at its process id, also across PID namespaces. Two containers may have the same id
/// (``LMDBError/Code/sameProcessID``).
enum LockFile {
    /// The head is `struct MDB_txninfo` without its first slot.
    private static let headBytes = 128
    private static let slotBytes = 64

    /// An existing file keeps its size, because another process may have mapped it. Does nothing if blocks cannot be allocated.
    ///
    /// - Throws: ``LMDBError`` `.diskFull`.
    static func allocate(in directory: String, maxReaders: Int) throws(LMDBError) {
        let path = directory + "/lock.mdb"
        guard let descriptor = try? Descriptor.open(path, O_RDWR | O_CREAT) else { return }
        defer { _ = close(descriptor) }
        guard FileIdentity(of: path)?.size == 0 else { return }
        let number = posix_fallocate(descriptor, 0, headBytes + maxReaders * slotBytes)
        if LMDBError.Code(number: number) == .diskFull { throw LMDBError(number: number, call: "posix_fallocate", path: path) }
    }

    private static let processOffset = 8

    /// Clears the slots of an earlier process with this id, as after a container's restart: LMDB would take them for its own. Call it
    /// before the opening.
    ///
    /// - Throws: ``LMDBError`` `.sameProcessID` if a living process with this id locks its byte.
    static func clearOwnSlots(in directory: String) throws(LMDBError) {
        let path = directory + "/lock.mdb"
        guard let descriptor = try? Descriptor.open(path, O_RDWR) else { return }
        // This also releases the lock.
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
    /// With the format after it: the layout of LMDB 0.9, where locked bytes show living readers.
    static let mark: UInt64 = 0x0001_0001 << 32 | UInt64(magic)

    /// Requires that the file begins as LMDB's. The first process to open an environment makes the file anew; later ones refuse another
    /// beginning. As ``allocate(in:maxReaders:)``, only while this process has not opened the environment.
    ///
    /// - Throws: ``LMDBError/Code/lockDamaged``.
    static func requireOurs(in directory: String) throws(LMDBError) {
        let path = directory + "/lock.mdb"
        guard let descriptor = try? Descriptor.open(path, O_RDONLY) else { return }
        defer { _ = close(descriptor) }
        var found: UInt32 = 0
        // SAFETY: reads four bytes into one local variable of that size.
        guard unsafe pread(descriptor, &found, 4, 0) == 4, found != magic else { return }
        throw damaged(path)
    }

    static func damaged(_ path: String) -> LMDBError {
        LMDBError(.lockDamaged, call: "mdb_env_open", path: path, text: "\(path) was overwritten while a process has it open")
    }

    static func sameProcessID(_ call: String, _ path: String) -> LMDBError {
        LMDBError(.sameProcessID, call: call, path: path, text: "a process \(getpid()) of another PID namespace has it open for reading")
    }
}
