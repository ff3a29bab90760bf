import Foundation

/// A new folder for one test. Releasing this object deletes it.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "service-test-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Every file below the folder.
    var files: [String] {
        let names = FileManager.default.subpaths(atPath: path) ?? []
        return names.map { path + "/" + $0 }.filter { name in
            var isFolder: ObjCBool = false
            return unsafe FileManager.default.fileExists(atPath: name, isDirectory: &isFolder) && !isFolder.boolValue
        }
    }
}
