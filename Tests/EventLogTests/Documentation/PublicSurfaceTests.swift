import Foundation
import Testing

/// Checks that the library's public declarations and messages reveal neither the product that uses the library nor the storage layer.
@Suite struct PublicSurfaceTests {
    private struct Source {
        let name: String
        let lines: [Substring]
    }

    private func sources(of target: String) throws -> [Source] {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 1...4 { root.deleteLastPathComponent() }
        let folder = root.appendingPathComponent("Sources/\(target)")
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
        return try names.map {
            Source(name: $0, lines: try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8).split(separator: "\n"))
        }
    }

    /// Only two texts may contain the product's name. They are stored in logs and indexes, so they cannot change.
    @Test("No message of the library names a program of the product", arguments: ["EventLog", "LMDB", "Merkle"])
    func neutralMessages(_ target: String) throws {
        let stored = ["greentea-index 4", "greentea.invalid/log/"]
        for source in try sources(of: target) {
            for line in source.lines where line.contains("greentea") {
                #expect(stored.contains { line.contains($0) }, "\(source.name): \(line)")
            }
        }
    }

    /// A public declaration can name a type of another module only if its file imports this module publicly. `Record` imports the storage
    /// layer publicly, because its inlinable code reads bytes in place. Its declarations name no type of the storage layer.
    @Test("No public declaration names a type of the storage layer") func storageLayerIsHidden() throws {
        let exposing = try sources(of: "EventLog").filter { $0.lines.contains("public import LMDB") }
        #expect(exposing.map(\.name) == ["Values/Record.swift"])
    }

    @Test(
        "A type for the product's own tools is not public",
        arguments: [
            "class LogFile", "class IndexFile", "class DerivedEnvironment", "class ThreadSemaphore", "struct FileFault",
            "struct PostingSum", "struct MapLooks", "struct SnapshotLooks", "var endsOnDamage", "var leavesNameOpen",
        ])
    func toolsAreHidden(_ declaration: String) throws {
        let lines = try sources(of: "EventLog").flatMap(\.lines).filter { $0.contains("\(declaration)") }
        #expect(lines.contains { $0.contains("package ") } && !lines.contains { $0.contains("public ") }, "\(lines)")
    }
}
