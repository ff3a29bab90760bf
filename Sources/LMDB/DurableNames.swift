internal import Glibc

/// Names of files and folders that survive the loss of power, for those who put a folder together before it gets its name.
public enum DurableNames {
    /// Flushes one file, or one folder's entries.
    ///
    /// - Throws: ``LMDBError/Code/io``, ``LMDBError/Code/missing``, ``LMDBError/Code/permission``.
    public static func flush(_ path: String) throws(LMDBError) { try Folder.sync(path) }

    /// Makes a folder and those above it, each flushed into the one above it up to the first that existed; one that is there is left
    /// as it is.
    ///
    /// - Parameters:
    ///   - mode: permission bits of each folder that is made.
    ///   - above: permission bits of those above it, where they differ.
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
