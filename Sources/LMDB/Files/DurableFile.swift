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
        do throws(LMDBError) {
            let file = try SequentialFile(new)
            try file.append(bytes.span, end: bytes.count)
            try file.flush()
            // A crash here leaves the old file, and a temporary one that the next call overwrites.
            try DurableNames.move(new, to: path)
        } catch {
            // A part of a file would take room on a full disk.
            DurableNames.remove(new)
            throw error
        }
    }
}

/// Creates folders, renames and removes, with the flushes that make new names durable. Foundation's calls have none.
public enum DurableNames {
    /// Flushes one file, or one folder's entries.
    ///
    /// - Throws: ``LMDBError`` `.io`, `.missing`, `.permission`.
    public static func flush(_ path: String) throws(LMDBError) {
        let descriptor = try Descriptor.open(path, O_RDONLY)
        defer { _ = close(descriptor) }
        guard fsync(descriptor) == 0 else { throw LMDBError(number: errno, call: "fsync", path: path) }
    }

    /// Flushes a folder's entries, and its own name.
    static func flushWithParent(_ path: String) throws(LMDBError) {
        try flush(path)
        try flush(parent(of: path))
    }

    /// Creates a folder and its missing parents, and flushes the parent of each: a file is durable only if every folder on its path is. An
    /// existing folder is left unchanged.
    ///
    /// - Parameters:
    ///   - mode: permission bits of created folders. By default the group may read, so that auditors can be put into it.
    ///   - above: those of created parents, if they differ.
    /// - Throws: as ``flush(_:)``; ``LMDBError`` `.diskFull`.
    public static func makeFolder(_ path: String, mode: UInt32 = 0o750, above: UInt32? = nil) throws(LMDBError) {
        if try isMade(path, mode) { return }
        let parent = parent(of: path)
        if parent != path, parent != "." { try makeFolder(parent, mode: above ?? mode) }
        if try !isMade(path, mode) { throw LMDBError(number: ENOENT, call: "mkdir", path: path) }
    }

    /// False if the parent is missing.
    private static func isMade(_ path: String, _ mode: UInt32) throws(LMDBError) -> Bool {
        // SAFETY: a plain C call on a path.
        if unsafe mkdir(path, mode) == 0 {
            // A crash before this flush may lose the folder with its content, so no caller may rely on it yet.
            try flush(parent(of: path))
            return true
        }
        switch errno {
        case EEXIST: return true
        case ENOENT: return false
        default: throw LMDBError(number: errno, call: "mkdir", path: path)
        }
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
        // A crash before this flush may undo the renaming.
        for path in Set([parent(of: old), parent(of: new)]) { try flush(path) }
    }

    /// The working folder for a bare name, and the root for itself.
    private static func parent(of path: String) -> String {
        var path = path[...]
        while path.count > 1, path.last == "/" { path.removeLast() }
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
