internal import Glibc

/// What makes two paths the same file: device and inode. Links and `..` lead to the same value.
struct FileIdentity: Hashable {
    let device: UInt64
    let inode: UInt64
    /// Bytes, as of the moment of asking.
    let size: Int

    /// Nil when there is nothing at `path` that may be looked at; `errno` says why.
    init?(of path: String) {
        var status = stat()
        // SAFETY: stat fills the struct handed in and keeps nothing.
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int(status.st_size))
    }

    /// Nil when the descriptor is of nothing.
    init?(of descriptor: Int32) {
        var status = stat()
        // SAFETY: as above.
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
