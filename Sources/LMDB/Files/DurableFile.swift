internal import Glibc

/// A small file beside an environment that holds one value, and must hold the old one or the new one whatever happens.
///
/// It is written beside, flushed, renamed, and the folder flushed: when ``replace(_:with:)`` has returned, the new bytes survive the
/// loss of power, and at no moment is there half a file under the name.
public enum DurableFile {
    private static let suffix = ".new"

    /// Replaces a file's content atomically; a missing file is created. One writer at a time.
    ///
    /// - Throws: ``LMDBError`` for a full disk, a missing folder or missing permission, with the old content in place.
    public static func replace(_ path: String, with bytes: [UInt8]) throws(LMDBError) {
        let new = path + suffix
        try write(bytes, to: new)
        // A crash here leaves the old file, and a stray one that the next call writes over.
        try rename(new, to: path)
    }

    /// Gives a file another name, in place of a file that has it already.
    ///
    /// - Throws: ``LMDBError``; the file has one name or the other.
    public static func rename(_ path: String, to other: String) throws(LMDBError) {
        // SAFETY: a plain C call on two paths.
        guard unsafe Glibc.rename(path, other) == 0 else { throw LMDBError(number: errno, call: "rename", path: path) }
        // A crash before this may show the old name again.
        try Folder.sync(Folder.parent(of: other) ?? ".")
    }

    private static func write(_ bytes: [UInt8], to path: String) throws(LMDBError) {
        // SAFETY: the descriptor is local and closed here.
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode_t(Limits.fileMode))
        guard descriptor >= 0 else { throw LMDBError(number: errno, call: "open", path: path) }
        defer { _ = close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            // SAFETY: the buffer is read during the call only, and no further than its count.
            let written = unsafe rest.withUnsafeBytes { buffer in unsafe Glibc.write(descriptor, buffer.baseAddress, buffer.count) }
            guard written > 0 || errno == EINTR else { throw LMDBError(number: errno, call: "write", path: path) }
            rest = rest.dropFirst(max(0, written))
        }
        guard fsync(descriptor) == 0 else { throw LMDBError(number: errno, call: "fsync", path: path) }
    }
}

/// Names of files and folders that survive the loss of power, for those who put a folder together before it gets its name.
public enum DurableNames {
    /// Flushes one file, or one folder's entries.
    ///
    /// - Throws: ``LMDBError/Code/io``, ``LMDBError/Code/missing``, ``LMDBError/Code/permission``.
    public static func flush(_ path: String) throws(LMDBError) { try Folder.sync(path) }

    /// Makes a folder and those above it, each flushed into the one above it up to the first that existed. An existing folder stays as it
    /// is.
    ///
    /// - Parameters:
    ///   - mode: permission bits of each folder that is made.
    ///   - above: permission bits of those above it, if they differ.
    /// - Throws: as ``flush(_:)``; ``LMDBError/Code/diskFull``.
    public static func makeFolder(_ path: String, mode: UInt32 = 0o750, above: UInt32? = nil) throws(LMDBError) {
        if let above, let parent = Folder.parent(of: path) { try Folder.make(parent, mode: above) }
        try Folder.make(path, mode: mode)
    }

    /// Removes a file; it is no error when it is not there. Not flushed.
    public static func remove(_ path: String) {
        // SAFETY: a plain C call on a path.
        _ = unsafe unlink(path)
    }

    /// Gives a file or folder another name in one step, and makes both folders' entries durable. An empty folder is replaced.
    ///
    /// - Throws: as ``flush(_:)``; ``LMDBError/Code/occupied`` when there is something in the way.
    public static func move(_ old: String, to new: String) throws(LMDBError) {
        // SAFETY: a plain C call on two paths.
        if unsafe rename(old, new) != 0 {
            let number = errno == ENOTEMPTY ? EEXIST : errno
            throw LMDBError(number: number, call: "rename", path: new)
        }
        for path in Set([Folder.parent(of: old) ?? ".", Folder.parent(of: new) ?? "."]) { try Folder.sync(path) }
    }
}

/// Questions to the file system, asked only while an error is being explained.
enum Disk {
    /// Free bytes below which a short write is blamed on a full disk: a batch's pages may not have fitted.
    private static let fullBelowBytes: UInt64 = 4 << 20

    /// Whether a short write at `directory` is explained by a lack of room.
    static func isFull(at directory: String) -> Bool {
        var space = statvfs()
        // SAFETY: plain C calls that fill the structs handed in.
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
