import Faults
import Foundation
import LMDB
import Seeds
import Testing

/// The power fails after all calls of the child have returned, and only flushed data has reached the disk. The names of the files must
/// survive.
@Suite struct DurableNamesTests {
    private static func image(_ names: NameModel) throws -> DiskImage {
        let folder = try TemporaryFolder()
        let written = try folder.newFolder("child"), journal = folder.file("journal")
        let variables = [
            "LD_PRELOAD": try Tools.recorder(in: folder), "GREENTEA_POWERCUT_FOLDER": written, "GREENTEA_POWERCUT_JOURNAL": journal,
        ]
        let child = try Program(Tools.child(), ["names", "folder=\(written)"], variables: variables, in: folder)
        guard try child.wait() == 0 else { throw TestFailure(child.errors) }
        var disk = DiskModel(names)
        for record in try Journal(path: journal).records { try disk.apply(record) }
        var random = SeededRandom(seed: 1)
        return withExtendedLifetime(folder) { disk.image(.nothing, &random) }
    }

    @Test("A new environment keeps its name however many folders above it are new", arguments: NameModel.allCases)
    func environment(_ names: NameModel) throws {
        let image = try Self.image(names)
        #expect(image.files["a/b/c/data.mdb"] != nil, "\(image.folders) \(image.files.keys.sorted())")
        let folder = try TemporaryFolder()
        try image.write(to: folder.file("left"))
        let environment = try Environment(directory: folder.file("left") + "/a/b/c", access: .readOnly)
        let table = try environment.table("words")
        #expect(try environment.snapshot().count(table) == 1)
    }

    @Test("A small file in new folders keeps its bytes and its last name", arguments: NameModel.allCases)
    func smallFile(_ names: NameModel) throws {
        let image = try Self.image(names)
        #expect(image.files["x/y/last"] == Array("second".utf8), "\(image.folders) \(image.files.keys.sorted())")
        #expect(image.files["x/y/z/value"] == nil)
    }
}
