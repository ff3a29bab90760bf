internal import Glibc

/// Names of files and folders that survive the loss of power, for those who put a folder together before it gets its name.
public enum DurableNames {
    /// Flushes one file, or one folder's entries.
    ///
    /// - Throws: ``LMDBError/Code/io``, ``LMDBError/Code/missing``, ``LMDBError/Code/permission``.
    public static func flush(_ path: String) throws(LMDBError) { try Folder.sync(path) }

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
