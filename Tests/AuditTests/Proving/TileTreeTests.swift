import Archive
import Audit
import EventLog
import Foundation
import Histories
import Merkle
import Testing

/// The log's Merkle tree, published as static files. The files are complete after every update, and a complete file is never rewritten.
@Suite struct TileTreeTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "tile-tree-\(UUID().uuidString)").path

    private func files(in path: String) -> Set<String> {
        let names = FileManager.default.subpaths(atPath: path) ?? []
        return Set(
            names.filter {
                (try? FileManager.default.attributesOfItem(atPath: path + "/" + $0))?[.type] as? FileAttributeType == .typeRegular
            })
    }

    private func number(of file: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: folder + "/" + file)[.systemFileNumber] as? Int
    }

    private func verify(_ published: PublishedLog, in path: String, _ options: String...) throws -> (status: Int32, text: String) {
        try PythonVerifier.run(["tiles", path, "--key", published.key.text] + options)
    }

    /// The sizes cover every boundary: one leaf, a full tile, a full and a partial tile, a second level and a third.
    @Test("Another program verifies a growing tree at every size", .enabled(if: PythonVerifier.isThere, "there is no python3"))
    func growingTree() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let sample = try PublishedSample()
        let tree = TileTree(at: folder, entries: true)
        var size: UInt64 = 0
        for next in [0, 1, 255, 256, 257, 600, 65_535, 65_536, 65_537, 70_001] as [UInt64] {
            try sample.grow(by: Int(next - size))
            let published = try sample.published
            let summary = try tree.update(from: published)
            #expect(summary.size == next && summary.oldSize == size)
            let (status, text) = try verify(published, in: folder, "--entries")
            #expect(status == 0 && text.hasPrefix("verified: \(next) leaves") && text.hasSuffix(" \(next) entries\n"), "\(text)")
            size = next
        }
        let shapes = ["tile/0/273.p/113", "tile/entries/273.p/113", "tile/1/000", "tile/1/001.p/17", "tile/2/000.p/1"]
        #expect(files(in: folder).isSuperset(of: shapes))
    }

    @Test("An update writes only missing files of the tree, and files of older checkpoints stay")
    func existingFiles() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let sample = try PublishedSample(600)
        let tree = TileTree(at: folder, entries: true)
        let first = try tree.update(from: try sample.published)
        #expect(first.written == 7 && first.kept == 0)
        let old = try ["tile/0/000", "tile/entries/001", "tile/1/000.p/2"].map(number)
        #expect(try tree.update(from: try sample.published).written == 0)
        try sample.grow(by: 100)
        let second = try tree.update(from: try sample.published)
        #expect(second.written == 2 && second.kept == 5, "one partial tile of hashes and one of entries are written")
        #expect(try ["tile/0/000", "tile/entries/001", "tile/1/000.p/2"].map(number) == old)
        #expect(files(in: folder).contains("tile/0/002.p/88"), "partial tiles of older checkpoints stay")
    }

    @Test("A tree of hashes alone has no entries, and entries can be added later")
    func hashesAlone() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let sample = try PublishedSample(300)
        try TileTree(at: folder, entries: false).update(from: try sample.published)
        #expect(files(in: folder) == ["checkpoint", "tile/0/000", "tile/0/001.p/44", "tile/1/000.p/1"])
        try TileTree(at: folder, entries: true).update(from: try sample.published)
        #expect(files(in: folder).isSuperset(of: ["tile/entries/000", "tile/entries/001.p/44"]), "entries can be added to hashes later")
    }

    /// A power failure may leave such a file.
    @Test("A file of the tree that is empty or cut short is written again", arguments: ["tile/0/000", "tile/entries/000"])
    func tornFile(_ file: String) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let sample = try PublishedSample(300)
        let tree = TileTree(at: folder, entries: true)
        try tree.update(from: try sample.published)
        let whole = try Data(contentsOf: URL(filePath: folder + "/" + file))
        for torn in [Data(), whole.prefix(100)] {
            try torn.write(to: URL(filePath: folder + "/" + file))
            #expect(try tree.update(from: try sample.published).written == 1)
            #expect(try Data(contentsOf: URL(filePath: folder + "/" + file)) == whole)
        }
    }

    /// A fault of the disk may change a byte so that the file keeps its form.
    @Test(
        "A file of the tree with a changed byte is written again",
        arguments: ["tile/0/000", "tile/1/000.p/1", "tile/entries/000", "tile/entries/001.p/44"])
    func changedFile(_ file: String) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let sample = try PublishedSample(300)
        let tree = TileTree(at: folder, entries: true)
        try tree.update(from: try sample.published)
        let whole = try Data(contentsOf: URL(filePath: folder + "/" + file))
        var changed = whole
        changed[changed.count - 1] ^= 1
        try changed.write(to: URL(filePath: folder + "/" + file))
        #expect(try tree.update(from: try sample.published).written == 1)
        #expect(try Data(contentsOf: URL(filePath: folder + "/" + file)) == whole)
    }

    /// An update stopped before it wrote its checkpoint, and the folder was then used for another log.
    @Test("Tiles of another log in a folder without a checkpoint are replaced", arguments: [false, true])
    func otherLogsTiles(hasEntries: Bool) throws {
        let whole = folder + "-whole"
        defer { for path in [folder, whole] { try? FileManager.default.removeItem(atPath: path) } }
        let (sample, other) = (try PublishedSample(300), try PublishedSample(100))
        // The numbers of the events begin anew at each growth, so the two logs differ from event 101 on.
        try other.grow(by: 200)
        let tree = TileTree(at: folder, entries: hasEntries)
        try tree.update(from: try other.published)
        try FileManager.default.removeItem(atPath: folder + "/checkpoint")
        try tree.update(from: try sample.published)
        try TileTree(at: whole, entries: hasEntries).update(from: try sample.published)
        #expect(files(in: folder) == files(in: whole))
        for file in files(in: whole) {
            #expect(FileManager.default.contents(atPath: folder + "/" + file) == FileManager.default.contents(atPath: whole + "/" + file))
        }
        #expect(try tree.update(from: try sample.published).written == 0)
    }

    @Test("An update over a longer log's tree is refused and changes no file, as is one over an altered checkpoint")
    func otherTree() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (sample, longer) = (try PublishedSample(300), try PublishedSample(301))
        let tree = TileTree(at: folder, entries: false)
        try tree.update(from: try longer.published)
        let before = files(in: folder)
        #expect(auditCode { try tree.update(from: try sample.published) } == .checkpoint)
        #expect(files(in: folder) == before)
        try Data("altered".utf8).write(to: URL(filePath: folder + "/checkpoint"))
        #expect(auditCode { try tree.update(from: try longer.published) } == .checkpoint)
    }

    @Test("An update to a folder that cannot be written fails with an error of the output")
    func unwritableFolder() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data().write(to: URL(filePath: folder))
        let sample = try PublishedSample(3)
        #expect(auditCode { try TileTree(at: folder, entries: false).update(from: try sample.published) } == .output)
    }
}
