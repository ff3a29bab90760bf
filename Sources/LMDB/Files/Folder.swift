internal import Glibc

/// Creates folders that must survive a power failure, and makes their entries durable. Foundation's `createDirectory` does not.
enum Folder {
    /// A file is durable only if every folder on its path is, so each parent is flushed.
    static func make(_ path: String, mode: UInt32 = Limits.directoryMode) throws(LMDBError) {
        if try isMade(path, mode) { return }
        guard let above = parent(of: path) else { throw LMDBError(number: ENOENT, call: "mkdir", path: path) }
        try make(above, mode: mode)
        if try !isMade(path, mode) { throw LMDBError(number: ENOENT, call: "mkdir", path: path) }
    }

    /// False if the parent is missing.
    private static func isMade(_ path: String, _ mode: UInt32) throws(LMDBError) -> Bool {
        // SAFETY: a plain C call on a path.
        if unsafe mkdir(path, mode) == 0 {
            // A crash before this flush may lose the folder with its content, so no caller may rely on it yet.
            try sync(parent(of: path) ?? ".")
            return true
        }
        switch errno {
        case EEXIST: return true
        case ENOENT: return false
        default: throw LMDBError(number: errno, call: "mkdir", path: path)
        }
    }

    /// LMDB flushes the file that it creates, but not the file's name.
    static func syncWithParent(_ path: String) throws(LMDBError) {
        try sync(path)
        try sync(parent(of: path) ?? ".")
    }

    static func sync(_ path: String) throws(LMDBError) {
        // SAFETY: the descriptor is local and closed here.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw LMDBError(number: errno, call: "open", path: path) }
        defer { _ = close(descriptor) }
        guard fsync(descriptor) == 0 else { throw LMDBError(number: errno, call: "fsync", path: path) }
    }

    /// Nil for a bare name and for the root.
    static func parent(of path: String) -> String? {
        var path = path[...]
        while path.count > 1, path.last == "/" { path.removeLast() }
        guard let slash = path.lastIndex(of: "/"), path.count > 1 else { return nil }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

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
    public convenience init(writerOf directory: String) throws(LMDBError) {
        try self.init(WriterLock.path(in: directory))
    }

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
        // SAFETY: a plain C call; the descriptor is kept, or closed on every failing path.
        let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw LMDBError(number: errno, call: "open", path: path) }
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
