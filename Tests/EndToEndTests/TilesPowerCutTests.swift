import Faults
import Foundation
import Seeds
import Testing

extension EndToEnd {
    /// The power fails while `greentea-audit tiles` publishes the tree, or after it. The tool runs under the recorder.
    @Suite struct TilesPowerCutTests {
        @Test("A power cut leaves no checkpoint without all of its tiles", arguments: NameModel.allCases)
        func everyPublishedTileSurvives(_ names: NameModel) throws {
            var random = SeededRandom.announced("everyPublishedTileSurvives \(names)")
            let folder = try TemporaryFolder()
            #expect(try AuditTests.story(in: folder).stop() == 0)
            let (library, journal, site) = (folder.file("powercut.so"), folder.file("journal"), folder.file("site"))
            try Recorder.compile(to: library)
            try FileManager.default.createDirectory(atPath: site, withIntermediateDirectories: true)
            let environment = Recorder.variables(
                library: library, folder: site, journal: journal, boot: "/proc/sys/kernel/random/boot_id")
            let tiles = try Program.run(
                "greentea-audit", "tiles", "--data", folder.data, "--output", site, "--entries", in: folder, environment: environment)
            #expect(tiles.status == 0, "\(tiles.errors)")
            let whole = try DiskImage(folder: site).files
            #expect(whole.keys.contains("checkpoint") && whole.count == 3, "\(whole.keys.sorted())")
            var disk = DiskModel(names)
            for record in try Journal(path: journal).records {
                try disk.apply(record)
                for chance in Chance.all {
                    let left = disk.image(chance, &random).files
                    let isPublished = left["checkpoint"] != nil
                    #expect(!isPublished || whole.allSatisfy { left[$0.key] == $0.value }, "\(record): \(left.keys.sorted())")
                }
            }
            #expect(disk.image(.nothing, &random).files == whole)
        }
    }
}
