import Foundation

/// A small file system to fill up. Releasing this object unmounts it.
final class SmallDisk: Sendable {
    let path: String

    /// True if this process may mount a file system. Containers differ in this permission, so the test tries one mount.
    static let isPossible: Bool = {
        guard let folder = try? TemporaryFolder() else { return false }
        return (try? SmallDisk(at: folder.file("probe"), bytes: 64 << 10)) != nil
    }()

    init(at path: String, bytes: Int) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        guard unsafe mount("tmpfs", path, "tmpfs", 0, "size=\(bytes)") == 0 else { throw TestFailure("mount: errno \(errno)") }
        self.path = path
    }

    // Unmounts lazily, because a program that is about to exit may still use the file system.
    deinit { _ = unsafe umount2(path, Int32(MNT_DETACH)) }

    /// Makes the file system read-only, or writable again.
    func remount(readOnly: Bool) throws {
        guard unsafe mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT) | (readOnly ? UInt(MS_RDONLY) : 0), nil) == 0 else {
            throw TestFailure("remount: errno \(errno)")
        }
    }

    /// Changes the size and keeps the files.
    func resize(bytes: Int) throws {
        guard unsafe mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT), "size=\(bytes)") == 0 else {
            throw TestFailure("remount: errno \(errno)")
        }
    }
}
