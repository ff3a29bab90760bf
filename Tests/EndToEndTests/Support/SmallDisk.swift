import Foundation

/// A file system of a given size, to fill up. Unmounted with this object.
final class SmallDisk: Sendable {
    let path: String

    /// Whether this process may mount: tried once, as containers differ.
    static let isPossible: Bool = {
        guard let folder = try? TemporaryFolder() else { return false }
        return (try? SmallDisk(at: folder.file("probe"), bytes: 64 << 10)) != nil
    }()

    init(at path: String, bytes: Int) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        guard unsafe mount("tmpfs", path, "tmpfs", 0, "size=\(bytes)") == 0 else { throw TestFailure("mount: errno \(errno)") }
        self.path = path
    }

    // Lazily, as a program that is just ending may still use it.
    deinit { _ = unsafe umount2(path, Int32(MNT_DETACH)) }

    /// Another size; the files stay.
    func resize(bytes: Int) throws {
        guard unsafe mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT), "size=\(bytes)") == 0 else {
            throw TestFailure("remount: errno \(errno)")
        }
    }
}
