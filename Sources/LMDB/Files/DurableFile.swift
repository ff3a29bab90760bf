internal import Glibc

/// Files whose content is replaced as a whole: written to another file, flushed, renamed, and the folder flushed.
///
/// After ``replace(_:with:)`` the new content survives a power failure. The name never refers to an incomplete file.
public enum DurableFile {
    private static let suffix = ".new"

    /// Replaces or creates a file atomically. Only one thread may write the same file at a time.
    ///
    /// - Throws: ``LMDBError``, with the old content in the file, or the new if only the folder could not be flushed.
    public static func replace(_ path: String, with bytes: [UInt8]) throws(LMDBError) {
        let new = path + suffix
        try write(bytes, to: new)
        // A crash here leaves the old file, and a temporary one that the next call overwrites.
        try rename(new, to: path)
    }

    /// Renames a file, and replaces one that has the new name.
    ///
    /// - Throws: ``LMDBError``; the file has either name.
    public static func rename(_ path: String, to other: String) throws(LMDBError) {
        // SAFETY: a plain C call on two paths.
        guard unsafe Glibc.rename(path, other) == 0 else { throw LMDBError(number: errno, call: "rename", path: path) }
        // After a crash before the flush, the file may have its old name again.
        try Folder.sync(Folder.parent(of: other) ?? ".")
    }

    private static func write(_ bytes: [UInt8], to path: String) throws(LMDBError) {
        // SAFETY: the descriptor is local and closed here.
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode_t(Limits.fileMode))
        guard descriptor >= 0 else { throw LMDBError(number: errno, call: "open", path: path) }
        defer { _ = close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            // SAFETY: the buffer is read only during the call, and no further than its count.
            let written = unsafe rest.withUnsafeBytes { buffer in unsafe Glibc.write(descriptor, buffer.baseAddress, buffer.count) }
            guard written > 0 || errno == EINTR else { throw LMDBError(number: errno, call: "write", path: path) }
            rest = rest.dropFirst(max(0, written))
        }
        guard fsync(descriptor) == 0 else { throw LMDBError(number: errno, call: "fsync", path: path) }
    }
}

/// Creates folders, renames and removes, with the flushes that make new names durable.
public enum DurableNames {
    /// Flushes one file, or one folder's entries.
    ///
    /// - Throws: ``LMDBError`` `.io`, `.missing`, `.permission`.
    public static func flush(_ path: String) throws(LMDBError) { try Folder.sync(path) }

    /// Creates a folder and its missing parents, and flushes the parent of each. An existing folder is left unchanged.
    ///
    /// - Parameters:
    ///   - mode: permission bits of created folders.
    ///   - above: those of created parents, if they differ.
    /// - Throws: as ``flush(_:)``; ``LMDBError`` `.diskFull`.
    public static func makeFolder(_ path: String, mode: UInt32 = 0o750, above: UInt32? = nil) throws(LMDBError) {
        if let above, let parent = Folder.parent(of: path) { try Folder.make(parent, mode: above) }
        try Folder.make(path, mode: mode)
    }

    /// Removes a file if it exists, without a flush, so a power failure may undo it.
    public static func remove(_ path: String) {
        // SAFETY: a plain C call on a path.
        _ = unsafe unlink(path)
    }

    /// Renames a file or folder atomically, and makes the entries of both parents durable. A file with the new name, or an empty folder, is
    /// replaced.
    ///
    /// - Throws: as ``flush(_:)``; ``LMDBError`` `.occupied` if a folder with content has the new name.
    public static func move(_ old: String, to new: String) throws(LMDBError) {
        // SAFETY: a plain C call on two paths.
        if unsafe rename(old, new) != 0 {
            let number = errno == ENOTEMPTY ? EEXIST : errno
            throw LMDBError(number: number, call: "rename", path: new)
        }
        for path in Set([Folder.parent(of: old) ?? ".", Folder.parent(of: new) ?? "."]) { try Folder.sync(path) }
    }
}

/// The state of the file system that a path is on.
public enum DiskMount {
    private static let readOnlyFlag: UInt = 1

    /// Whether the file system is mounted read-only; false if unknown, for example for a missing path.
    public static func isReadOnly(at path: String) -> Bool {
        var space = statvfs()
        // SAFETY: a plain C call that fills the struct.
        guard unsafe statvfs(path, &space) == 0 else { return false }
        return UInt(space.f_flag) & readOnlyFlag != 0
    }
}

enum Disk {
    /// With less free space, a short write counts as a full disk.
    private static let fullBelowBytes: UInt64 = 4 << 20

    static func isFull(at directory: String) -> Bool {
        var space = statvfs()
        // SAFETY: plain C calls that fill their structs.
        if unsafe statvfs(directory, &space) == 0 {
            let free = UInt64(space.f_bavail) * UInt64(space.f_frsize)
            if free < fullBelowBytes { return true }
        }
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { return false }
        guard let size = FileIdentity(of: directory + "/data.mdb")?.size else { return false }
        return UInt64(size) + fullBelowBytes > UInt64(limit.rlim_cur)
    }
}
