import Foundation

/// A new folder for one test, removed with this object.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "lmdb-test-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The folder of an environment that does not exist yet.
    var environment: String { path + "/environment" }

    /// The data file of that environment.
    var dataFile: String { environment + "/data.mdb" }
}
