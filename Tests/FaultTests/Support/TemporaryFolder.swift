import Foundation

/// A new folder for one test. Releasing this object deletes it, unless `keep` was called.
final class TemporaryFolder {
    /// The path without symbolic links, as the kernel reports it.
    let path: String
    private var isKept = false

    init() throws {
        let made = FileManager.default.temporaryDirectory.appending(path: "greentea-fault-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: made, withIntermediateDirectories: true)
        guard let resolved = unsafe realpath(made, nil) else { throw TestFailure("realpath: errno \(errno)") }
        path = unsafe String(cString: resolved)
        unsafe free(resolved)
    }

    deinit { if !isKept { try? FileManager.default.removeItem(atPath: path) } }

    func file(_ name: String) -> String { path + "/" + name }

    func newFolder(_ name: String) throws -> String {
        try FileManager.default.createDirectory(atPath: file(name), withIntermediateDirectories: true)
        return file(name)
    }

    func keep() { isKept = true }
}
