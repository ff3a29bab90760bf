import Foundation
import LMDB
import Testing

/// Small files, each of which contains either its old or its new bytes, even after a crash.
@Suite struct DurableFileTests {
    private let folder: String

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/durable-file-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    private var file: String { folder + "/value" }
    private var content: [UInt8]? { FileManager.default.contents(atPath: file).map { [UInt8]($0) } }

    private func onFolder(_ body: () throws -> Void) rethrows {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body()
    }

    @Test("Each replacement is the file's whole content")
    func eachReplacementIsTheWholeContent() throws {
        try onFolder {
            for bytes in [[1, 2, 3], [], [9], [UInt8](repeating: 7, count: 100_000), [5]] as [[UInt8]] {
                try DurableFile.replace(file, with: bytes)
                #expect(content == bytes)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["value"], "no temporary file is left")
        }
    }

    /// A crash between writing and renaming leaves a temporary file, which the next write replaces.
    @Test("A temporary file that a crash left is overwritten")
    func aStrayFileIsWrittenOver() throws {
        try onFolder {
            try DurableFile.replace(file, with: [1])
            try Data(repeating: 8, count: 50).write(to: URL(filePath: file + ".new"))
            #expect(content == [1])
            try DurableFile.replace(file, with: [2])
            #expect(content == [2])
        }
    }

    @Test("A replacement that fails leaves the old content")
    func aRefusalLeavesTheOldContent() throws {
        try onFolder {
            try DurableFile.replace(file, with: [1])
            try FileManager.default.createDirectory(atPath: file + ".new", withIntermediateDirectories: true)
            let error = #expect(throws: LMDBError.self) { try DurableFile.replace(file, with: [2]) }
            #expect(error?.call == "open" && error?.path == file + ".new")
            #expect(content == [1])
            #expect(code { try DurableFile.replace(folder + "/nowhere/value", with: [1]) } == .missing)
        }
    }

    @Test("A replacement that fails on a full disk leaves the old content, and no part of the new", .enabled(if: SmallDisk.isPossible))
    func fullDisk() throws {
        try onFolder {
            let disk = try SmallDisk(at: folder + "/disk", bytes: 64 << 10)
            try DurableFile.replace(disk.path + "/value", with: [1])
            let large = [UInt8](repeating: 2, count: 1 << 20)
            #expect(code { try DurableFile.replace(disk.path + "/value", with: large) } == .diskFull)
            #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path) == ["value"])
            try DurableFile.replace(disk.path + "/value", with: [3])
        }
    }

    @Test("A renamed file has only its new name")
    func aRenamedFileIsThereUnderItsNewNameAlone() throws {
        try onFolder {
            try DurableFile.replace(file, with: [1])
            try DurableNames.move(file, to: folder + "/other")
            #expect(content == nil && FileManager.default.contents(atPath: folder + "/other") == Data([1]))
            #expect(code { try DurableNames.move(file, to: folder + "/third") } == .missing)
        }
    }
}
