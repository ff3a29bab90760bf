import Foundation
import LMDB
import Testing

/// The codes of the errors at opening. Every faulty file must be rejected at opening instead of causing a crash later.
@Suite struct OpeningTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Creates an environment with a thousand numbers, and closes it.
    private func fill() throws {
        let environment = try Environment(directory: folder.environment, access: .readWrite)
        let table = try environment.table("numbers", .integer)
        var write = try environment.write()
        for key in 0..<1_000 as Range<UInt64> { try write.append(table, key, [UInt8](repeating: 7, count: 100)) }
        try write.commit()
    }

    @Test("Opening for reading creates nothing")
    func readingNeverCreates() throws {
        #expect(openingError(folder.environment, .readOnly)?.code == .missing)
        #expect(!FileManager.default.fileExists(atPath: folder.environment))
        try Files.makeFolder(folder.environment)
        #expect(openingError(folder.environment, .readOnly)?.code == .missing)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.environment) == [])
    }

    @Test("Another program's file is foreign")
    func anotherProgramsFileIsForeign() throws {
        try Files.makeFolder(folder.environment)
        try Files.write("SQLite format 3".bytes + [UInt8](repeating: 0, count: 8_192), to: folder.dataFile)
        #expect(openingError(folder.environment, .readWrite)?.code == .foreign)
        #expect(openingError(folder.environment, .readOnly)?.code == .foreign)
    }

    @Test("A file of another format version is foreign")
    func anotherFormatVersionIsForeign() throws {
        try fill()
        try Files.overwrite(folder.dataFile, at: 20, count: 1, with: 2)
        #expect(openingError(folder.environment, .readOnly)?.code == .foreign)
    }

    /// The file is truncated within the head, directly after it, in the middle, or one byte before the end.
    @Test("A truncated file is damaged", arguments: [1, 100, 4_096, 4_200, 8_192, 40_960, -1])
    func aTruncatedFileIsDamaged(size: Int) throws {
        try fill()
        let full = try Files.size(folder.dataFile)
        try Files.truncate(folder.dataFile, to: size < 0 ? full + size : size)
        #expect(openingError(folder.environment, .readOnly)?.code == .damaged)
        let error = openingError(folder.environment, .readWrite)
        #expect(error?.code == .damaged)
        #expect(error?.path == folder.dataFile)
    }

    @Test("An empty file is damaged and not taken for a new one")
    func anEmptyFileIsNotTakenForANewOne() throws {
        try fill()
        try Files.truncate(folder.dataFile, to: 0)
        #expect(openingError(folder.environment, .readWrite)?.code == .damaged)
    }

    /// Pages that one transaction both allocates and frees are never written. So a valid file may be shorter than its last page number
    /// says.
    @Test("A file that ends before its free last pages opens")
    func aFileThatEndsInFreePagesIsWhole() throws {
        try fill()
        do {
            let environment = try Environment(directory: folder.environment, access: .readWrite)
            let table = try environment.table("numbers", .integer)
            for key in 0..<300 as Range<UInt64> { try delete(environment, table, key) }
            var write = try environment.write()
            try write.append(table, 5_000, [UInt8](repeating: 7, count: 1_000_000))
            _ = try write.delete(table, 5_000)
            try write.commit()
            let statistics = environment.statistics
            try #require(try Files.size(folder.dataFile) < statistics.usedBytes, "the file is shorter than its page number says")
        }
        #expect(openingError(folder.environment, .readOnly) == nil)
        #expect(openingError(folder.environment, .readWrite) == nil)
    }

    private func delete(_ environment: Environment, _ table: Table, _ key: UInt64) throws {
        var write = try environment.write()
        _ = try write.delete(table, key)
        try write.commit()
    }

    @Test("A zeroed page is an error and not a crash")
    func aBrokenPageIsDamagedNotACrash() throws {
        try fill()
        let end = try Files.size(folder.dataFile)
        try Files.overwrite(folder.dataFile, at: 8_192, count: end - 8_192, with: 0)
        let environment = try Environment(directory: folder.environment, access: .readOnly)
        #expect(code { _ = try environment.table("numbers", .integer) } == .damaged)
    }

    @Test("A second opening in one process is refused, also through a link")
    func aSecondOpeningInOneProcessIsRefused() throws {
        let environment = try Environment(directory: folder.environment, access: .readWrite)
        #expect(openingError(folder.environment, .readWrite)?.code == .alreadyOpen)
        #expect(openingError(folder.environment, .readOnly)?.code == .alreadyOpen)
        let link = folder.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.environment)
        #expect(openingError(link, .readOnly)?.code == .alreadyOpen)
        withExtendedLifetime(environment) {}
    }

    @Test("A refused opening and a closed environment permit the next opening")
    func aRefusedOpeningLeavesNoClaim() throws {
        try fill()
        try Files.overwrite(folder.dataFile, at: 16, count: 4, with: 0)
        #expect(openingError(folder.environment, .readWrite)?.code == .foreign)
        try FileManager.default.removeItem(atPath: folder.dataFile)
        #expect(openingError(folder.environment, .readWrite) == nil)
        #expect(openingError(folder.environment, .readWrite) == nil, "a closed environment can be opened again")
    }

    @Test("A file in place of the folder is reported as missing")
    func aFileInPlaceOfTheFolder() throws {
        try Files.write([1], to: folder.path + "/file")
        #expect(openingError(folder.path + "/file", .readOnly)?.code == .missing)
        #expect(openingError(folder.path + "/file/environment", .readWrite)?.code == .missing)
    }

    @Test("A file that may not be read is reported as a missing permission", .disabled(if: geteuid() == 0, "root may read everything"))
    func aForbiddenFolder() throws {
        try fill()
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: folder.dataFile)
        #expect(openingError(folder.environment, .readOnly)?.code == .permission)
    }

    /// Such a folder cannot be flushed. Its permissions are 0300: names in it may be used, but not listed.
    @Test("An environment opens below a folder that may not be listed", .disabled(if: geteuid() == 0, "root may read everything"))
    func aParentFolderThatCannotBeRead() throws {
        try fill()
        try FileManager.default.setAttributes([.posixPermissions: 0o300], ofItemAtPath: folder.path)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path) }
        #expect(openingError(folder.environment, .readWrite) == nil)
    }

    @Test("An error names the fault, the path, the cause and the remedy")
    func theDescriptionSaysWhatWhereWhyAndWhatToDo() throws {
        let text = try #require(openingError(folder.environment, .readOnly)).description
        #expect(
            text == "nothing here to open: \(folder.environment) (open: No such file or directory). "
                + "Check the path, or open it for writing, which creates it.")
    }
}
