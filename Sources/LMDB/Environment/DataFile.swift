internal import CLMDB
internal import Glibc

/// Checks an environment's file with plain reads, before the file is mapped.
///
/// If a mapped file ends too early, a later read kills the process with SIGBUS. So a truncated file must be found here.
enum DataFile {
    /// Checks that the file has all of its used pages.
    ///
    /// - Returns: whether the file does not exist yet.
    /// - Throws: ``LMDBError/Code/missing``, ``LMDBError/Code/foreign``, ``LMDBError/Code/damaged``, ``LMDBError/Code/permission``.
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

    /// Checks that the file is long enough, even while another process commits. A commit writes the pages before the head page, so the head
    /// page is read first and the length after it. A commit may also reuse pages while they are checked, so a finding is ignored if the
    /// head page has changed.
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

    /// The greatest number of bytes of address space that a writer has reserved; nil if the file is missing or not readable as an
    /// environment.
    static func mapBytes(in directory: String) -> Int? {
        let path = directory + "/data.mdb"
        // SAFETY: the descriptor is local and closed here.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { _ = close(descriptor) }
        return try? MetaPage.newest(of: descriptor, path).mapBytes
    }

    /// Removes the empty file of a failed creation, which the next open would mistake for a truncated environment.
    static func removeIfEmpty(in directory: String) {
        let path = directory + "/data.mdb"
        guard FileIdentity(of: path)?.size == 0 else { return }
        // SAFETY: a plain C call on a path.
        _ = unsafe unlink(path)
    }

    static func damaged(_ path: String, _ text: String) -> LMDBError {
        LMDBError(.damaged, call: "pread", path: path, text: text)
    }
}

/// The identity of a file: device and inode. Paths through links and `..` give the same value.
struct FileIdentity: Hashable {
    let device: UInt64
    let inode: UInt64
    /// The size of the file in bytes when the identity was read. It is not a part of the identity.
    let size: Int

    /// Reads the identity of a file; nil if there is no accessible file at `path`, in which case `errno` has the reason.
    init?(of path: String) {
        var status = stat()
        // SAFETY: stat fills the struct handed in and keeps nothing.
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int(status.st_size))
    }

    /// Reads the identity of an open file; nil if the descriptor is not open.
    init?(of descriptor: Int32) {
        var status = stat()
        // SAFETY: fstat fills the struct handed in and keeps nothing.
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        self.init(device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int(status.st_size))
    }

    private init(device: UInt64, inode: UInt64, size: Int) {
        self.device = device
        self.inode = inode
        self.size = size
    }

    static func == (left: FileIdentity, right: FileIdentity) -> Bool {
        left.device == right.device && left.inode == right.inode
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(device)
        hasher.combine(inode)
    }
}

/// The kind of the file at a path, with links followed. Code that writes files checks the kind, so that a new file does not replace a
/// device.
public enum FileKind: Sendable {
    case regular
    case folder
    /// A device, a pipe, a socket.
    case other

    /// Reads the kind of a file; nil if there is no accessible file at `path`.
    public init?(at path: String) {
        var status = stat()
        // SAFETY: stat fills the struct handed in and keeps nothing.
        guard unsafe stat(path, &status) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFREG: self = .regular
        case S_IFDIR: self = .folder
        default: self = .other
        }
    }
}
