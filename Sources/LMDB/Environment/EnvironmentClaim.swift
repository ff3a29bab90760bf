internal import Glibc
internal import Synchronization

/// The right to open a folder: once within a process, and with one writer among all processes.
///
/// LMDB's locks belong to the process, so closing one of two openings would drop both's. The writer lock is a `flock`: the kernel releases
/// it however the process ends, and spawned programs never inherit it.
final class EnvironmentClaim: Sendable {
    private static let open = Mutex<Set<FileIdentity>>([])

    private let identity: FileIdentity
    /// Held open, so that the inode number of a deleted folder is not reused.
    private let folder: Int32
    /// Holds `writer.lock`; nil for reading.
    private let lock: Int32?

    /// - Throws: ``LMDBError`` `.missing`, `.alreadyOpen`, `.locked`, `.permission`.
    init(directory: String, writes: Bool) throws(LMDBError) {
        // SAFETY: a plain C call; the descriptor is kept, or closed on every failing path.
        let folder = unsafe Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw LMDBError(number: errno, call: "open", path: directory) }
        do {
            identity = try Self.register(folder, directory)
            lock = try Self.lock(directory, writes, identity)
        } catch {
            _ = close(folder)
            throw error
        }
        self.folder = folder
    }

    /// The writer lock goes first, so that a thread that can claim the folder also finds it unlocked.
    deinit {
        if let lock { WriterLock.release(lock) }
        _ = Self.open.withLock { $0.remove(identity) }
        _ = close(folder)
    }

    private static func register(_ folder: Int32, _ directory: String) throws(LMDBError) -> FileIdentity {
        guard let identity = FileIdentity(of: folder) else { throw LMDBError(number: errno, call: "fstat", path: directory) }
        if open.withLock({ $0.insert(identity).inserted }) { return identity }
        throw LMDBError(.alreadyOpen, call: "fstat", path: directory, text: "the same device and inode")
    }

    private static func lock(_ directory: String, _ writes: Bool, _ identity: FileIdentity) throws(LMDBError) -> Int32? {
        guard writes else { return nil }
        do {
            return try WriterLock.take(in: directory)
        } catch {
            _ = open.withLock { $0.remove(identity) }
            throw error
        }
    }
}

/// `writer.lock`, with the id of the last holder. ``FileLock`` uses other names.
enum WriterLock {
    /// Waits at most a fifth of a second. The returned descriptor holds the lock until it is closed.
    ///
    /// - Throws: ``LMDBError`` `.locked` naming the holder, `.permission`, `.io`.
    static func take(in directory: String) throws(LMDBError) -> Int32 { try take(at: path(in: directory)) }

    static func path(in directory: String) -> String { directory + "/writer.lock" }

    /// Retries for a fifth of a second, because ``isHeld(at:)`` elsewhere holds the lock for a moment.
    static func take(at path: String) throws(LMDBError) -> Int32 {
        // SAFETY: plain C calls; the descriptor is closed or returned.
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode_t(Limits.fileMode))
        guard descriptor >= 0 else { throw LMDBError(number: errno, call: "open", path: path) }
        var waits = 0
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK, waits < 10 {
                waits += 1
                usleep(20_000)
                continue
            }
            let error = refusal(errno, path, descriptor)
            _ = close(descriptor)
            throw error
        }
        sign(descriptor)
        return descriptor
    }

    /// Nil if the file cannot be opened. Changes no file.
    static func isHeld(at path: String) -> Bool? {
        // SAFETY: plain C calls; the descriptor is closed.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else {
            let isHeld = errno == EWOULDBLOCK
            _ = close(descriptor)
            return isHeld
        }
        release(descriptor)
        return false
    }

    /// Releases before closing: a program that is being spawned shares the descriptor until its `exec`.
    static func release(_ descriptor: Int32) {
        _ = flock(descriptor, LOCK_UN)
        _ = close(descriptor)
    }

    private static func refusal(_ number: Int32, _ path: String, _ descriptor: Int32) -> LMDBError {
        guard number == EWOULDBLOCK else { return LMDBError(number: number, call: "flock", path: path) }
        return LMDBError(.locked, call: "flock", path: path, text: "held by process \(holder(descriptor))")
    }

    /// Only for messages, so a failure is ignored.
    private static func sign(_ descriptor: Int32) {
        let text = Array("\(getpid())\n".utf8)
        _ = ftruncate(descriptor, 0)
        // SAFETY: writes from an array that outlives the call.
        _ = unsafe pwrite(descriptor, text, text.count, 0)
    }

    private static func holder(_ descriptor: Int32) -> String {
        var text = [UInt8](repeating: 0, count: 20)
        // SAFETY: reads at most the array's bytes into it.
        let count = unsafe pread(descriptor, &text, text.count, 0)
        let digits = text.prefix(max(0, count)).prefix { (48...57).contains($0) }
        return digits.isEmpty ? "of unknown number" : String(decoding: digits, as: UTF8.self)
    }
}
