import Foundation

/// A new folder for one test. Releasing this object deletes it.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "greentea-test-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// A path for a data folder that does not exist yet.
    var data: String { path + "/data" }

    /// The names of all models that a server has opened in ``data``.
    func models() throws -> [String] {
        let models = data + "/derived/models"
        return try FileManager.default.contentsOfDirectory(atPath: models)
            .filter { FileManager.default.fileExists(atPath: "\(models)/\($0)/current") }
    }

    /// Returns the path of a new file beside the data.
    func file(_ name: String) -> String { path + "/" + name }
}
