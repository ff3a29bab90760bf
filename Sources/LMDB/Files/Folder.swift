internal import Glibc

/// Creates folders and makes their entries durable.
///
/// All folders that must survive a power failure are created here. Foundation's `createDirectory` is only for folders that may be lost.
enum Folder {
    /// Creates a folder and its missing parents; an existing folder is left unchanged.
    ///
    /// The parent of each new folder is flushed, because a file is durable only if every folder on its path has its entry on disk.
    static func make(_ path: String, mode: UInt32 = Limits.directoryMode) throws(LMDBError) {
        if try isMade(path, mode) { return }
        guard let above = parent(of: path) else { throw LMDBError(number: ENOENT, call: "mkdir", path: path) }
        try make(above, mode: mode)
        if try !isMade(path, mode) { throw LMDBError(number: ENOENT, call: "mkdir", path: path) }
    }

    /// Creates one folder, unless it exists already.
    ///
    /// - Returns: false if its parent is missing.
    private static func isMade(_ path: String, _ mode: UInt32) throws(LMDBError) -> Bool {
        // SAFETY: a plain C call on a path.
        if unsafe mkdir(path, mode) == 0 {
            // A crash before this flush may lose the folder with everything in it, so no caller may rely on it yet.
            try sync(parent(of: path) ?? ".")
            return true
        }
        switch errno {
        case EEXIST: return true
        case ENOENT: return false
        default: throw LMDBError(number: errno, call: "mkdir", path: path)
        }
    }

    /// Flushes a folder's entries and its entry in its parent. LMDB flushes the file that it creates, but not the file's name.
    static func syncWithParent(_ path: String) throws(LMDBError) {
        try sync(path)
        try sync(parent(of: path) ?? ".")
    }

    /// Flushes one file or folder.
    static func sync(_ path: String) throws(LMDBError) {
        // SAFETY: the descriptor is local and closed here.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw LMDBError(number: errno, call: "open", path: path) }
        defer { _ = close(descriptor) }
        guard fsync(descriptor) == 0 else { throw LMDBError(number: errno, call: "fsync", path: path) }
    }

    /// The path of the parent folder; nil for a bare name and for the root.
    static func parent(of path: String) -> String? {
        var path = path[...]
        while path.count > 1, path.last == "/" { path.removeLast() }
        guard let slash = path.lastIndex(of: "/"), path.count > 1 else { return nil }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

/// A lock between processes in the form of a file. The lock is released with the last reference to this object, and at the latest when the
/// process ends, even by a crash.
///
/// The file contains the id of the process that last took the lock. The file is never removed, so that all processes lock the same file.
public final class FileLock: Sendable {
    /// The path of the lock file.
    public let path: String
    private let descriptor: Int32

    /// Takes the lock. If it is held, tries again for a fifth of a second. The file is created if it does not exist.
    ///
    /// - Throws: ``LMDBError/Code/locked`` naming the holder, ``LMDBError/Code/missing`` if the folder does not exist,
    ///   ``LMDBError/Code/permission``, ``LMDBError/Code/io``.
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

    /// Whether a process holds the writer lock of an environment's folder. The check changes no file, and creates none.
    ///
    /// - Returns: nil if there is no lock file, or if the current user may not read it.
    public static func isHeld(writerOf directory: String) -> Bool? { WriterLock.isHeld(at: WriterLock.path(in: directory)) }

    deinit { WriterLock.release(descriptor) }
}

/// A lock between processes on a folder that one of them fills. The lock is released with the last reference to this object, and at the
/// latest when the process ends, even by a crash.
///
/// The lock needs no file of its own, so the folder can be renamed or copied while it is locked, and contains no lock file.
public final class FolderLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock without waiting; nil on a file system that cannot lock folders, such as some network disks.
    ///
    /// - Throws: ``LMDBError/Code/locked``, ``LMDBError/Code/missing`` if there is no such folder, ``LMDBError/Code/permission``.
    public init?(_ path: String) throws(LMDBError) {
        // SAFETY: a plain C call on a path; the descriptor is closed on every failing path, or kept.
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
/// The lock belongs to the open file. It is released when the file is closed, and at the latest when the process ends, even by a crash.
public enum PartialFileLock {
    /// Locks an open file without waiting. Does nothing on a file system that cannot lock files, such as some network disks.
    ///
    /// - Parameters:
    ///   - descriptor: the open file. Opening it MUST NOT have changed its content, which may still belong to another process.
    ///   - path: the temporary name at which the file was opened.
    /// - Throws: ``LMDBError/Code/locked`` if another process is writing the file, or has renamed or removed it since it was opened here.
    public static func take(_ descriptor: Int32, at path: String) throws(LMDBError) {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK else { return }
            throw LMDBError(.locked, call: "flock", path: path, text: "another process is writing it")
        }
        // If another process gave the file its final name just before the lock was free, a write here would change a complete file.
        if let locked = FileIdentity(of: descriptor), locked == FileIdentity(of: path) { return }
        throw LMDBError(.locked, call: "flock", path: path, text: "another process has just written it")
    }

    /// Removes the temporary name of an open file. Does nothing if the file was renamed, even if another file has the temporary name now.
    public static func remove(_ descriptor: Int32, at path: String) {
        guard let file = FileIdentity(of: descriptor), file == FileIdentity(of: path) else { return }
        DurableNames.remove(path)
    }
}
