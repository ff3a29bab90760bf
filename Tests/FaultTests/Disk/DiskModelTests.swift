import Faults
import Seeds
import Testing

@Suite struct DiskModelTests {
    /// The different sets of names of files and folders that many simulated power cuts leave.
    private func names(_ records: [JournalRecord], _ model: NameModel, _ chance: Chance = .percent(50)) throws -> Set<[String]> {
        let disk = try disk(records, model)
        var random = SeededRandom(seed: 3)
        return Set(
            (0..<300).map { _ in
                let image = disk.image(chance, &random)
                return (image.folders + image.files.keys).sorted()
            })
    }

    private func disk(_ records: [JournalRecord], _ model: NameModel = .journalled) throws -> DiskModel {
        var disk = DiskModel(model)
        for record in records { try disk.apply(record) }
        return disk
    }

    private static let making: [JournalRecord] = [.folderMade(path: "a"), .made(path: "a/x"), .made(path: "b")]

    @Test("A journalling file system keeps a first part of the new names")
    func aJournallingFileSystemKeepsAFirstPartOfTheNames() throws {
        #expect(try names(Self.making, .journalled) == [[], ["a"], ["a", "a/x"], ["a", "a/x", "b"]])
    }

    @Test("POSIX keeps any of the new names whose folders it keeps")
    func posixKeepsAnyOfTheNames() throws {
        #expect(try names(Self.making, .posix) == [[], ["a"], ["b"], ["a", "b"], ["a", "a/x"], ["a", "a/x", "b"]])
    }

    @Test("A file's flush keeps its name with a journal, and not by POSIX")
    func aFilesFlushBringsItsNameAlongWhereThereIsAJournal() throws {
        let records = Self.making + [.flushed(path: "a/x", covered: 3)]
        #expect(try names(records, .journalled, .nothing) == [["a", "a/x"]])
        #expect(try names(records, .posix, .nothing) == [[]])
    }

    @Test("A folder's flush keeps the names in it and not its own")
    func aFoldersFlushKeepsItsNamesButNotItsOwn() throws {
        let records = Self.making + [.flushed(path: "a", covered: 3)]
        #expect(try names(records, .posix, .nothing) == [[]])
        #expect(try names(records, .posix) == [[], ["b"], ["a", "a/x"], ["a", "a/x", "b"]])
        #expect(try names(records + [.flushed(path: "", covered: 4)], .posix, .nothing) == [["a", "a/x", "b"]])
    }

    @Test("A flush that began before the names were made covers none of them", arguments: NameModel.allCases)
    func aFlushThatBeganBeforeCoversNoName(_ model: NameModel) throws {
        #expect(try names(Self.making + [.flushed(path: "", covered: 0)], model, .nothing) == [[]])
    }

    @Test("A removed name may come back until its folder is flushed", arguments: NameModel.allCases)
    func aRemovedNameMayComeBackUntilItsFolderIsFlushed(_ model: NameModel) throws {
        let records: [JournalRecord] = [.made(path: "b"), .flushed(path: "", covered: 1), .removed(path: "b")]
        #expect(try names(records, model) == [["b"], []])
        #expect(try names(records + [.flushed(path: "", covered: 3)], model) == [[]])
    }

    /// POSIX does not order changes of names. A power cut may therefore leave the old file `state` beside the newer file `data`.
    @Test("Without an order of names, an old file may stand beside a newer one")
    func withoutAnOrderOfNamesAnOldFileMayStandBesideANewOne() throws {
        let disk = try disk(
            [
                .made(path: "state"), .wrote(path: "state", offset: 0, bytes: [1]), .flushed(path: "state", covered: 2),
                .flushed(path: "", covered: 3), .removed(path: "state"), .made(path: "data"), .made(path: "state"),
                .wrote(path: "state", offset: 0, bytes: [2]), .flushed(path: "state", covered: 8),
            ], .posix)
        var random = SeededRandom(seed: 5)
        let images = (0..<100).map { _ in disk.image(.percent(50), &random) }
        #expect(images.contains { $0.files["state"] == [1] && $0.files["data"] != nil })
        #expect(images.contains { $0.files["state"] == [2] })
    }

    @Test("A renaming is done completely or not at all", arguments: NameModel.allCases)
    func aRenamingIsDoneOrNot(_ model: NameModel) throws {
        let records: [JournalRecord] = [
            .made(path: "new"), .wrote(path: "new", offset: 0, bytes: [1]), .flushed(path: "new", covered: 2), .made(path: "b"),
            .flushed(path: "", covered: 4), .renamed(path: "new", new: "b"),
        ]
        #expect(try names(records, model) == [["b", "new"], ["b"]])
    }

    @Test("A write-through keeps the write that its number names, and no other")
    func aWriteThroughIsFoundByTheNumberOfItsRecord() throws {
        let disk = try disk([
            .made(path: "b"), .wrote(path: "b", offset: 0, bytes: [1]), .wrote(path: "b", offset: 600, bytes: [2]),
            .wroteThrough(path: "b", number: 1),
        ])
        var random = SeededRandom(seed: 5)
        #expect(disk.image(.nothing, &random).files["b"]?.first == 1)
        #expect(disk.image(.nothing, &random).files["b"]?.last != 2)
    }

    @Test("A skipped record counts in the numbers of later ones")
    func skippedRecordsKeepTheirNumbers() throws {
        var disk = DiskModel()
        disk.skip()
        let write = JournalRecord.wrote(path: "b", offset: 0, bytes: [1])
        for record in [.made(path: "b"), write, .flushed(path: "b", covered: 3)] { try disk.apply(record) }
        var random = SeededRandom(seed: 5)
        #expect(disk.image(.nothing, &random).files == ["b": [1]])
    }

    private static let nonsense: [[JournalRecord]] = [
        [.wrote(path: "b", offset: 0, bytes: [1])],
        [.flushed(path: "b", covered: 0)],
        [.resized(path: "b", size: 1)],
        [.renamed(path: "", new: "b")],
        [.renamed(path: "c", new: "b")],
        [.made(path: "b"), .renamed(path: "b", new: "")],
        [.made(path: "data.mdb"), .mapped(path: "data.mdb")],
        [.made(path: "b"), .wroteThrough(path: "b", number: 0)],
    ]

    @Test("A journal that cannot be followed is refused", arguments: nonsense)
    func aJournalThatCannotBeFollowedIsRefused(_ records: [JournalRecord]) {
        #expect(throws: FaultError.self) { _ = try disk(records) }
    }

    @Test("The lock file of LMDB may be mapped")
    func theLockFileOfLMDBMayBeMapped() throws {
        let lock = "a/lock.mdb"
        let disk = try disk([.folderMade(path: "a"), .made(path: lock), .grew(path: lock, size: 9), .mapped(path: lock)])
        var random = SeededRandom(seed: 5)
        #expect(disk.image(.everything, &random).files["a/lock.mdb"]?.count == 9)
    }

    @Test("An image that was written to a folder is read back equal")
    func anImageWrittenToAFolderIsTheSameImage() throws {
        let folder = try TemporaryFolder()
        var image = DiskImage()
        image.folders = ["a", "a/b"]
        image.files = ["a/x": [1, 2], "a/b/empty": []]
        try image.write(to: folder.file("image"))
        #expect(try DiskImage(folder: folder.file("image")) == image)
    }
}
