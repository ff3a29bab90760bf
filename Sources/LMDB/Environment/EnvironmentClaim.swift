internal import Glibc
internal import Synchronization

/// The right to open a folder: at most once within a process, and with at most one writer among all processes.
///
/// LMDB's locks belong to the process: if a process opens a folder twice, closing one of the two silently drops the locks of both. The
/// writer lock is a `flock`. The kernel releases it however the process ends, and spawned programs never inherit it.
final class EnvironmentClaim: Sendable {
    private static let open = Mutex<Set<FileIdentity>>([])

    private let identity: FileIdentity
    /// The folder, held open so that its inode number is not reused for another folder after it has been deleted.
    private let folder: Int32
    /// The descriptor of `writer.lock`, which holds the lock; nil for reading.
    private let lock: Int32?

    /// Claims a folder for reading, or for reading and writing.
    ///
    /// - Throws: ``LMDBError/Code/missing`` if the folder does not exist, ``LMDBError/Code/alreadyOpen``, ``LMDBError/Code/locked``,
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

    /// Releases the writer lock before the claim, so that a thread that can claim the folder also finds the folder unlocked.
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

/// `writer.lock` in an environment's folder. The only writing process holds this lock. The file contains the id of the process that last
/// took it. ``FileLock`` also uses these functions for lock files with other names.
enum WriterLock {
    /// Takes the lock of an environment. It waits at most a fifth of a second, see ``take(at:)``.
    ///
    /// - Returns: the descriptor, which holds the lock until it is closed.
    /// - Throws: ``LMDBError/Code/locked`` naming the holder, ``LMDBError/Code/permission``, ``LMDBError/Code/io``.
    static func take(in directory: String) throws(LMDBError) -> Int32 { try take(at: path(in: directory)) }

    /// The path of an environment's lock.
    static func path(in directory: String) -> String { directory + "/writer.lock" }

    /// Takes the lock on the file at a path. If the lock is held, it tries again for a fifth of a second, because a call of ``isHeld(at:)``
    /// elsewhere holds the lock for a moment.
    static func take(at path: String) throws(LMDBError) -> Int32 {
        // SAFETY: plain C calls on a path and a descriptor that is closed or returned.
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

    /// Whether another process, or another part of this process, holds the lock on the file at a path. The file is not changed.
    ///
    /// - Returns: nil if the file cannot be opened.
    static func isHeld(at path: String) -> Bool? {
        // SAFETY: plain C calls on a path and a descriptor that is closed.
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

    /// Releases the lock before closing the descriptor. Closing alone might not release it, because a program that is just being spawned
    /// shares the descriptor until its `exec`.
    static func release(_ descriptor: Int32) {
        _ = flock(descriptor, LOCK_UN)
        _ = close(descriptor)
    }

    private static func refusal(_ number: Int32, _ path: String, _ descriptor: Int32) -> LMDBError {
        guard number == EWOULDBLOCK else { return LMDBError(number: number, call: "flock", path: path) }
        return LMDBError(.locked, call: "flock", path: path, text: "held by process \(holder(descriptor))")
    }

    /// Writes the process id into the lock file. The id is used only in messages to people, so a failure to write it is ignored.
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
