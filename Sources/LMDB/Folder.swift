internal import Glibc

/// Making folders, and making their entries durable.
enum Folder {
    /// Makes a folder and those above it; an existing one is left as it is.
    static func make(_ path: String) throws(LMDBError) {
        // SAFETY: plain C calls on a path.
        if unsafe mkdir(path, Limits.directoryMode) == 0 || errno == EEXIST { return }
        let number = errno
        guard number == ENOENT, let above = parent(of: path) else { throw LMDBError(number: number, call: "mkdir", path: path) }
        try make(above)
        if unsafe mkdir(path, Limits.directoryMode) == 0 || errno == EEXIST { return }
        throw LMDBError(number: errno, call: "mkdir", path: path)
    }

    /// Flushes a folder's entries and its own entry above: LMDB flushes the file that it creates, not the name.
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

    /// The folder above; nil for a bare name and for the root.
    static func parent(of path: String) -> String? {
        var path = path[...]
        while path.count > 1, path.last == "/" { path.removeLast() }
        guard let slash = path.lastIndex(of: "/"), path.count > 1 else { return nil }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
