internal import Glibc

/// What stands under a path, links followed: for those who write files, and must not put one in the place of a device.
public enum FileKind: Sendable {
    case regular
    case folder
    /// A device, a pipe, a socket.
    case other

    /// Nil when there is nothing, or nothing that may be looked at.
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
