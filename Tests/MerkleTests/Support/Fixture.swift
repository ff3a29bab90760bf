import Foundation

/// Files that every version must write and read in the same way.
///
/// `GREENTEA_RECORD=1 swift test --filter GoldenTests` writes missing files; it never changes an existing one.
enum Fixture {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The path of the verifier that is written in Python, in the repository's folder of tools.
    static let verifier = root.appendingPathComponent("Tools/lib/verify_tlog.py").path

    static func path(_ name: String) -> String { root.appendingPathComponent("Fixtures/merkle/" + name).path }

    /// The stored bytes. If recording is requested and the file is missing, `made` is stored first.
    static func golden(_ name: String, made: [UInt8]) throws -> [UInt8] {
        let path = path(name)
        if ProcessInfo.processInfo.environment["GREENTEA_RECORD"] == "1", !FileManager.default.fileExists(atPath: path) {
            try Data(made).write(to: URL(fileURLWithPath: path))
        }
        return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }
}
