internal import Glibc

/// A lock between processes in the form of a file, released with the last reference, and when the process ends, even by a crash.
///
/// The file contains the last holder's process id. It is never removed, so that all processes lock the same file.
public final class FileLock: Sendable {
    public let path: String
    private let descriptor: Int32

    /// Takes the lock, creating the file. Retries for a fifth of a second if it is held.
    ///
    /// - Throws: ``LMDBError`` `.locked` naming the holder, `.missing` if the folder does not exist, `.permission`, `.io`.
    public init(_ path: String) throws(LMDBError) {
        descriptor = try WriterLock.take(at: path)
        self.path = path
    }

    /// Takes the writer lock of an environment's folder, so that no process can open it for writing.
    ///
    /// - Throws: as ``init(_:)``.
    public convenience init(writerOf directory: String) throws(LMDBError) { try self.init(WriterLock.path(in: directory)) }

    /// Whether a process holds an environment's writer lock; nil without a readable lock file. Changes and creates nothing.
    public static func isHeld(writerOf directory: String) -> Bool? { WriterLock.isHeld(at: WriterLock.path(in: directory)) }

    deinit { WriterLock.release(descriptor) }
}

/// A lock between processes on a folder that one of them fills, released with the last reference, and when the process ends, even by a
/// crash.
///
/// It needs no file, so the folder can be renamed or copied while locked.
public final class FolderLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock without waiting; nil if the file system cannot lock folders, as some network disks.
    ///
    /// - Throws: ``LMDBError`` `.locked`, `.missing` if there is no such folder, `.permission`.
    public init?(_ path: String) throws(LMDBError) {
        let descriptor = try Descriptor.open(path, O_RDONLY | O_DIRECTORY)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let isHeld = errno == EWOULDBLOCK
            _ = close(descriptor)
            guard isHeld else { return nil }
            throw LMDBError(.locked, call: "flock", path: path, text: "another process is at work in it")
        }
        self.descriptor = descriptor
    }

    deinit { WriterLock.release(descriptor) }
}

/// A lock between processes on a file that one of them writes under a temporary name.
///
/// The lock belongs to the open file, and ends when it is closed or the process ends, even by a crash.
public enum PartialFileLock {
    /// Locks an open file without waiting. Does nothing if the file system cannot lock files, as some network disks.
    ///
    /// - Parameters:
    ///   - descriptor: the open file. Opening MUST NOT have changed its content, which may still be another process's.
    ///   - path: the temporary name at which it was opened.
    /// - Throws: ``LMDBError`` `.locked` if another process is writing the file, or has renamed or removed it since.
    public static func take(_ descriptor: Int32, at path: String) throws(LMDBError) {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK else { return }
            throw LMDBError(.locked, call: "flock", path: path, text: "another process is writing it")
        }
        // If another process gave the file its final name just before, a write here would change a complete file.
        if let locked = FileIdentity(of: descriptor), locked == FileIdentity(of: path) { return }
        throw LMDBError(.locked, call: "flock", path: path, text: "another process has just written it")
    }

    /// Removes an open file's temporary name, unless the file was renamed, even if another file has the name now.
    public static func remove(_ descriptor: Int32, at path: String) {
        guard let file = FileIdentity(of: descriptor), file == FileIdentity(of: path) else { return }
        DurableNames.remove(path)
    }
}

/// `writer.lock`, with the id of the last holder. ``FileLock`` uses other names.
enum WriterLock {
    /// Waits at most a fifth of a second. The returned descriptor holds the lock until it is closed.
    static func take(in directory: String) throws(LMDBError) -> Int32 { try take(at: path(in: directory)) }

    static func path(in directory: String) -> String { directory + "/writer.lock" }

    /// Retries for a fifth of a second, because ``isHeld(at:)`` elsewhere holds the lock for a moment.
    static func take(at path: String) throws(LMDBError) -> Int32 {
        let descriptor = try Descriptor.open(path, O_RDWR | O_CREAT)
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
        guard let descriptor = try? Descriptor.open(path, O_RDONLY) else { return nil }
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
