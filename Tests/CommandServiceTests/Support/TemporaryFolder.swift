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

    /// Whether a part of a secret is in any file. A service may replace files meanwhile.
    func hasBytes(of secret: [UInt8]) throws -> Bool {
        try files.contains { path in
            do { return try Data(contentsOf: URL(filePath: path)).hasBytes(of: secret) } catch CocoaError.fileReadNoSuchFile {
                return false
            }
        }
    }
}

extension Data {
    /// Whether a part of a secret of at least 15 bytes is in these bytes.
    func hasBytes(of secret: [UInt8]) -> Bool {
        stride(from: 0, through: secret.count - 15, by: 15).contains { range(of: Data(secret[$0..<$0 + 15])) != nil }
    }
}
