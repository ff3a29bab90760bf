internal import CLMDB
internal import Glibc

/// Checks an environment's file before it is mapped: a mapped file that ends too early kills a reader with SIGBUS.
enum DataFile {
    /// Returns whether the file does not exist yet.
    ///
    /// - Throws: ``LMDBError`` `.missing`, `.foreign`, `.damaged` without all used pages, `.permission`.
    static func check(in directory: String, mayBeMissing: Bool) throws(LMDBError) -> Bool {
        let path = directory + "/data.mdb"
        // SAFETY: the descriptor is local and closed here.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 && errno == ENOENT && mayBeMissing { return true }
        guard descriptor >= 0 else { throw LMDBError(number: errno, call: "open", path: path) }
        defer { _ = close(descriptor) }
        try checkLength(descriptor, path)
        return false
    }

    /// A commit writes its pages before the head page, so the length is read after the head page. A finding counts only if that is
    /// unchanged, because a commit may reuse pages meanwhile.
    private static func checkLength(_ descriptor: Int32, _ path: String) throws(LMDBError) {
        while true {
            let head = try MetaPage.newest(of: descriptor, path)
            guard let size = FileIdentity(of: descriptor)?.size else { throw LMDBError(number: errno, call: "fstat", path: path) }
            if size >= (head.lastPage + 1) * head.pageBytes { return }
            var pages = ReachablePages(descriptor: descriptor, fileBytes: size, head: head)
            guard let missing = pages.firstMissing() else { return }
            if try MetaPage.newest(of: descriptor, path).transaction == head.transaction {
                throw damaged(path, "\(size) bytes, but page \(missing) is in use")
            }
        }
    }

    /// Address space, in bytes, that a writer has reserved; nil without a readable environment.
    static func mapBytes(in directory: String) -> Int? {
        let path = directory + "/data.mdb"
        // SAFETY: the descriptor is local and closed here.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { _ = close(descriptor) }
        return try? MetaPage.newest(of: descriptor, path).mapBytes
    }

    /// An empty file of a failed creation would pass for a truncated environment.
    static func removeIfEmpty(in directory: String) {
        let path = directory + "/data.mdb"
        guard FileIdentity(of: path)?.size == 0 else { return }
        // SAFETY: a plain C call on a path.
        _ = unsafe unlink(path)
    }

    /// Replaces an error that a damaged head page causes, which can ask for a map of any size and gives any last commit.
    static func cause(of error: LMDBError, in directory: String) -> LMDBError {
        guard error.code == .mapFull || error.code == .lockDamaged else { return error }
        do {
            let file = try PageFile(in: directory)
            // A head page read in the middle of a commit looks damaged, but not twice.
            let looks = (0..<2).map { _ in file.headFindings(comparing: false) }
            guard let found = looks[1].first, !looks[0].isEmpty else { return error }
            return damaged(file.path, "\(found)")
        } catch {
            // The environment is open, so the file had head pages.
            guard error.code == .foreign || error.code == .damaged else { return error }
            return damaged(directory + "/data.mdb", error.text)
        }
    }

    static func damaged(_ path: String, _ text: String) -> LMDBError {
        LMDBError(.damaged, call: "pread", path: path, text: text)
    }
}

/// The identity of a file, equal for all paths to it: device and inode.
struct FileIdentity: Hashable {
    let device: UInt64
    let inode: UInt64
    /// Not a part of the identity.
    let size: Int

    /// Nil if there is no accessible file, with the reason in `errno`.
    init?(of path: String) {
        var status = stat()
        // SAFETY: stat fills the struct and keeps nothing.
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int(status.st_size))
    }

    init?(of descriptor: Int32) {
        var status = stat()
        // SAFETY: fstat fills the struct and keeps nothing.
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        self.init(device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int(status.st_size))
    }

    private init(device: UInt64, inode: UInt64, size: Int) {
        (self.device, self.inode, self.size) = (device, inode, size)
    }

    static func == (left: FileIdentity, right: FileIdentity) -> Bool {
        left.device == right.device && left.inode == right.inode
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(device)
        hasher.combine(inode)
    }
}

/// The kind of the file at a path, with links followed; checked so that a new file replaces no device.
public enum FileKind: Sendable {
    case regular
    case folder
    /// A device, a pipe, a socket.
    case other

    /// Nil if there is no accessible file at `path`.
    public init?(at path: String) {
        var status = stat()
        // SAFETY: stat fills the struct and keeps nothing.
        guard unsafe stat(path, &status) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFREG: self = .regular
        case S_IFDIR: self = .folder
        default: self = .other
        }
    }
}
