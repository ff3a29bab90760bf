import Foundation

/// A file system of a given size, which a test can fill. It is unmounted when this object is released.
final class SmallDisk: Sendable {
    let path: String

    /// Whether this process may mount file systems. This is found out by trying it once, because it depends on the container.
    static let isPossible: Bool = {
        guard let folder = try? TemporaryFolder() else { return false }
        return (try? SmallDisk(at: folder.path + "/probe", bytes: 64 << 10)) != nil
    }()

    init(at path: String, bytes: Int) throws {
        try Files.makeFolder(path)
        guard unsafe mount("tmpfs", path, "tmpfs", 0, "size=\(bytes)") == 0 else { throw TestFailure("mount: errno \(errno)") }
        self.path = path
    }

    // Unmounted lazily, because the environment in it may be released after this object.
    deinit { _ = unsafe umount2(path, Int32(MNT_DETACH)) }
}
