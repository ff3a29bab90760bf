import Foundation

/// Files that every version must write and read alike.
///
/// `GREENTEA_RECORD=1 swift test --filter GoldenTests` writes files that are not there yet; it never changes one.
enum Fixture {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The repository's own folder of tools, which holds the verifier in another language.
    static let verifier = root.appendingPathComponent("Tools/lib/verify_tlog.py").path

    static func path(_ name: String) -> String { root.appendingPathComponent("Fixtures/merkle/" + name).path }

    /// The stored bytes; `made` is stored first when recording is asked for and there is no file.
    static func golden(_ name: String, made: [UInt8]) throws -> [UInt8] {
        let path = path(name)
        if ProcessInfo.processInfo.environment["GREENTEA_RECORD"] == "1", !FileManager.default.fileExists(atPath: path) {
            try Data(made).write(to: URL(fileURLWithPath: path))
        }
        return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }
}
