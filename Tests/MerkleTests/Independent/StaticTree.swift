import Foundation
import Merkle

/// A published tree in a temporary folder, as files that a web server could serve. The folder is removed with this object.
final class StaticTree {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("static-tree-\(UUID().uuidString)")
    private let tree: MemoryTree
    private var published: UInt64 = 0

    init(_ records: [[UInt8]] = []) throws {
        tree = MemoryTree()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try grow(by: records)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var size: UInt64 { tree.edge.size }
    /// The log's current checkpoint.
    func note() throws -> SignedNote {
        try Checkpoint(origin: TestKeys.origin, size: size, root: tree.edge.root).signed(by: TestKeys.log())
    }

    /// Appends records, and publishes the resulting tiles and then the checkpoint.
    func grow(by records: [[UInt8]]) throws {
        for record in records { tree.append(record) }
        for tile in TileSequence(from: published, to: size) {
            try write(try tree.bytes(of: tile), to: tile.path)
            if let entries = tile.entries { try write(try bundle(of: entries), to: entries.path) }
        }
        published = size
        try write(try note().bytes, to: "checkpoint")
    }

    private func bundle(of tile: Tile) throws -> [UInt8] {
        var bundle: [UInt8] = []
        for index in tile.range { try EntryBundle.append(tree.records[Int(index)], to: &bundle) }
        return bundle
    }

    func receipt(of index: UInt64) throws -> Receipt {
        try Receipt(try tree.inclusionProof(of: index, at: size), checkpoint: try note())
    }

    func consistencyLines(from oldSize: UInt64) throws -> [UInt8] {
        Array(try tree.consistencyProof(from: oldSize, to: size).hashes.map { $0.base64 + "\n" }.joined().utf8)
    }

    func write(_ bytes: [UInt8], to path: String) throws {
        let file = folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
    }

    func read(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: folder.appendingPathComponent(path))) }

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
}
