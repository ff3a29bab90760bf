internal import Glibc

/// Files whose content is replaced as a whole. During a replacement, the file has either the old or the new content.
///
/// The new content is written to another file, flushed and renamed, and the folder is flushed. When ``replace(_:with:)`` has returned, the
/// new content survives a power failure. At no time does the name refer to an incomplete file.
public enum DurableFile {
    private static let suffix = ".new"

    /// Replaces a file's content atomically, or creates the file. Only one thread may write the same file at a time.
    ///
    /// - Throws: ``LMDBError``. The file then has its old content, or the new content if only the folder could not be flushed.
    public static func replace(_ path: String, with bytes: [UInt8]) throws(LMDBError) {
        let new = path + suffix
        try write(bytes, to: new)
        // A crash here leaves the old file, and a temporary one that the next call overwrites.
        try rename(new, to: path)
    }

    /// Renames a file, and replaces a file that already has the new name.
    ///
    /// - Throws: ``LMDBError``; the file then has either the old or the new name.
    public static func rename(_ path: String, to other: String) throws(LMDBError) {
        // SAFETY: a plain C call on two paths.
        guard unsafe Glibc.rename(path, other) == 0 else { throw LMDBError(number: errno, call: "rename", path: path) }
        // After a crash before this call has returned, the file may have its old name again.
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

/// Creates folders, renames files and folders, and removes files. It has the flushes that make new names durable, for example for code that
/// fills a folder before the folder gets its final name.
public enum DurableNames {
    /// Flushes one file, or one folder's entries.
    ///
    /// - Throws: ``LMDBError/Code/io``, ``LMDBError/Code/missing``, ``LMDBError/Code/permission``.
    public static func flush(_ path: String) throws(LMDBError) { try Folder.sync(path) }

    /// Creates a folder and its missing parents, and flushes the parent of each. An existing folder is left unchanged.
    ///
    /// - Parameters:
    ///   - mode: permission bits of each folder that is created.
    ///   - above: permission bits of the created parents, if they differ from `mode`.
    /// - Throws: as ``flush(_:)``; ``LMDBError/Code/diskFull``.
    public static func makeFolder(_ path: String, mode: UInt32 = 0o750, above: UInt32? = nil) throws(LMDBError) {
        if let above, let parent = Folder.parent(of: path) { try Folder.make(parent, mode: above) }
        try Folder.make(path, mode: mode)
    }

    /// Removes a file if it exists. The removal is not flushed, so a power failure may undo it.
    public static func remove(_ path: String) {
        // SAFETY: a plain C call on a path.
        _ = unsafe unlink(path)
    }

    /// Renames a file or folder atomically, and makes the entries of both parent folders durable. A file replaces a file that already has
    /// the new name, and a folder replaces an empty folder.
    ///
    /// - Throws: as ``flush(_:)``; ``LMDBError/Code/occupied`` if a folder with content has the new name.
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
    /// The value of the flag `ST_RDONLY` of `statvfs`.
    private static let readOnlyFlag: UInt = 1

    /// Whether the file system is mounted read-only, so that no user can write there; false if this cannot be found out, for example
    /// because the path does not exist.
    public static func isReadOnly(at path: String) -> Bool {
        var space = statvfs()
        // SAFETY: a plain C call that fills the struct passed to it.
        guard unsafe statvfs(path, &space) == 0 else { return false }
        return UInt(space.f_flag) & readOnlyFlag != 0
    }
}

/// Queries of the file system that help to explain an error.
enum Disk {
    /// The number of free bytes below which a short write is treated as caused by a full disk: the pages of a batch may not have fitted.
    private static let fullBelowBytes: UInt64 = 4 << 20

    /// Whether a short write in `directory` can be explained by a full disk, or by the limit on the size of files.
    static func isFull(at directory: String) -> Bool {
        var space = statvfs()
        // SAFETY: plain C calls that fill the structs passed to them.
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
