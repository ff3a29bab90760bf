internal import Glibc
internal import Synchronization

/// The right to have a folder open: once in this process, and as the only writer among processes.
///
/// LMDB's locks belong to the process, so opening a folder twice in one loses them silently at the first close. The writer
/// lock is a `flock`, which the kernel drops with the process however that ends; it is never inherited by a spawned program.
final class EnvironmentClaim: Sendable {
    private static let open = Mutex<Set<FileIdentity>>([])

    private let identity: FileIdentity
    /// The folder itself, held open so that its inode number is not given to another folder once it is deleted.
    private let folder: Int32
    /// The locked descriptor of `writer.lock`; nil for reading.
    private let lock: Int32?

    /// - Throws: ``LMDBError/Code/missing`` without the folder, ``LMDBError/Code/alreadyOpen``, ``LMDBError/Code/locked``,
    ///   ``LMDBError/Code/permission``.
    init(directory: String, writes: Bool) throws(LMDBError) {
        // SAFETY: a plain C call on a path; the descriptor is closed on every failing path, or kept.
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

    /// Releases the lock first: a process that finds the folder unclaimed must find it unlocked, too.
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

/// `writer.lock` in an environment's folder: held by its one writing process, with that process's id as text.
enum WriterLock {
    /// Takes the lock without waiting.
    ///
    /// - Returns: the descriptor that holds it until it is closed.
    /// - Throws: ``LMDBError/Code/locked`` naming the holder, ``LMDBError/Code/permission``, ``LMDBError/Code/io``.
    static func take(in directory: String) throws(LMDBError) -> Int32 { try take(at: path(in: directory)) }

    /// The path of an environment's lock.
    static func path(in directory: String) -> String { directory + "/writer.lock" }

    /// The same for a lock file of any name.
    static func take(at path: String) throws(LMDBError) -> Int32 {
        // SAFETY: plain C calls on a path and a descriptor that is closed or returned.
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode_t(Limits.fileMode))
        guard descriptor >= 0 else { throw LMDBError(number: errno, call: "open", path: path) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let error = refusal(errno, path, descriptor)
            _ = close(descriptor)
            throw error
        }
        sign(descriptor)
        return descriptor
    }

    /// Gives the lock up before closing: a program being spawned at this moment still shares the descriptor until its `exec`.
    static func release(_ descriptor: Int32) {
        _ = flock(descriptor, LOCK_UN)
        _ = close(descriptor)
    }

    private static func refusal(_ number: Int32, _ path: String, _ descriptor: Int32) -> LMDBError {
        guard number == EWOULDBLOCK else { return LMDBError(number: number, call: "flock", path: path) }
        return LMDBError(.locked, call: "flock", path: path, text: "held by process \(holder(descriptor))")
    }

    /// The text is for people only, so that a failure to write it is no failure to lock.
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
