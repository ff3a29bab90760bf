import Foundation
import Testing

/// Checks today's parsers with every input that a fuzzer has ever found, and with every golden file.
@Suite struct ReplayTests {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func files(in folder: String) throws -> [URL] {
        let url = root.appending(path: "Fixtures/" + folder)
        return try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil).sorted { $0.path < $1.path }
    }

    private static func bytes(_ url: URL) throws -> [UInt8] {
        let bytes = [UInt8](try Data(contentsOf: url))
        return url.pathExtension == "hex" ? Hex.bytes(String(decoding: bytes, as: UTF8.self)) : bytes
    }

    @Test("An input that once broke a target breaks it no more", arguments: FuzzTarget.allCases)
    func foundInputs(_ target: FuzzTarget) throws {
        let found = try Self.files(in: "fuzz").filter { $0.lastPathComponent.hasPrefix(target.rawValue + "-") }
        for url in found { #expect(throws: Never.self, "\(url.lastPathComponent)") { try target.check(Self.bytes(url)) } }
    }

    @Test(
        "A golden file breaks no target",
        arguments: [
            ("records", FuzzTarget.record), ("events", .event), ("merkle", .note), ("merkle", .receipt), ("merkle", .key),
        ])
    func goldenFiles(_ folder: String, _ target: FuzzTarget) throws {
        let files = try Self.files(in: folder)
        #expect(!files.isEmpty)
        for url in files { #expect(throws: Never.self, "\(url.lastPathComponent)") { try target.check(Self.bytes(url)) } }
    }

    /// These are the first inputs that a fuzzer tries.
    @Test("An input of no bytes, one byte or many equal bytes breaks no target", arguments: FuzzTarget.allCases)
    func simplestInputs(_ target: FuzzTarget) throws {
        for byte in UInt8.min...UInt8.max {
            for count in [0, 1, 2, 64, 70_000] where count < 65 || byte.isMultiple(of: 85) {
                #expect(throws: Never.self, "\(count) times \(byte)") { try target.check([UInt8](repeating: byte, count: count)) }
            }
        }
    }
}
