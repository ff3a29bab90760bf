import Foundation
import Testing

@testable import LMDB

/// Room: zeros behind a file's used pages, into which later commits are written.
@Suite struct RoomTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(roomBytes: Int, mapBytes: Int? = nil) throws -> Environment {
        var options = Environment.Options()
        (options.roomBytes, options.mapSizeMax) = (roomBytes, mapBytes)
        return try Environment(directory: folder.environment, access: .readWrite, options: options)
    }

    /// Appends one value in each of some commits.
    ///
    /// - Returns: the number of commits after which the file was longer than before.
    private func append(_ keys: Range<UInt64>, of bytes: Int, to environment: Environment) throws -> Int {
        let table = try environment.table("log", .integer)
        var (longer, before) = (0, try Files.size(folder.dataFile))
        for key in keys {
            var write = try environment.write()
            try write.append(table, key, [UInt8](repeating: UInt8(truncatingIfNeeded: key), count: bytes))
            try write.commit()
            let size = try Files.size(folder.dataFile)
            if size > before { longer += 1 }
            before = size
        }
        return longer
    }

    @Test("Most commits into room do not make the file longer")
    func mostCommitsKeepTheLength() throws {
        let longer = try append(0..<400, of: 1_000, to: try open(roomBytes: 128 << 10))
        #expect(longer > 1 && longer < 30, "\(longer) of 400 commits made the file longer")
    }

    @Test("Without room, a commit that needs a new page makes the file longer")
    func withoutRoomTheFileGrows() throws {
        let longer = try append(0..<400, of: 1_000, to: try open(roomBytes: 0))
        #expect(longer > 60, "\(longer) of 400 commits made the file longer")
    }

    @Test("Commits larger than the room, and room after them, leave every page as it was stored")
    func roomReplacesNoPage() throws {
        do {
            let environment = try open(roomBytes: 64 << 10)
            for round in 0..<20 as Range<UInt64> {
                _ = try append(round * 100..<round * 100 + 10, of: 700, to: environment)
                _ = try append(round * 100 + 10..<round * 100 + 12, of: 90_000, to: environment)
            }
            _ = try append(2_000..<2_010, of: 700, to: environment)
        }
        var findings: [PageFinding] = []
        let file = try PageFile(in: folder.environment)
        let head = try file.newestHead()
        FileWalk(file, head: head, appended: ["log"]) { findings.append($0) }.run()
        #expect(findings.isEmpty)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.dataFile))
        let used = (Int(head.lastPage) + 1) * file.pageBytes
        #expect(bytes.count > used + 1_000 && bytes[used...].allSatisfy { $0 == 0 }, "there is room, of zeros only")

        let environment = try open(roomBytes: 64 << 10)
        let table = try environment.table("log", .integer)
        let snapshot = try environment.snapshot()
        #expect(try snapshot.count(table) == 250)
        for round in 0..<20 as Range<UInt64> {
            for key in round * 100..<round * 100 + 12 {
                let value = try snapshot.get(table, key)
                guard let value else { throw TestFailure("lost \(key)") }
                let wanted = [UInt8](repeating: UInt8(truncatingIfNeeded: key), count: key % 100 < 10 ? 700 : 90_000)
                #expect(value.array == wanted)
            }
        }
    }

    @Test("Room ends where the map ends, and a full map is still refused")
    func roomEndsWithTheMap() throws {
        let environment = try open(roomBytes: 4 << 20, mapBytes: 1 << 20)
        _ = try append(0..<600, of: 1_000, to: environment)
        #expect(try Files.size(folder.dataFile) == 1 << 20)
        #expect(code { _ = try append(600..<2_000, of: 1_000, to: environment) } == .mapFull)
        #expect(try Files.size(folder.dataFile) == 1 << 20)
    }

    @Test(
        "Room takes what is left of a full disk, and commits use it up before the disk is reported as full",
        .enabled(if: SmallDisk.isPossible, "needs the right to mount a tmpfs"))
    func roomOnAFullDisk() throws {
        let disk = try SmallDisk(at: folder.path + "/disk", bytes: 1 << 20)
        var options = Environment.Options()
        options.roomBytes = 8 << 20
        let environment = try Environment(directory: disk.path + "/log", access: .readWrite, options: options)
        let table = try environment.table("log", .integer)
        var stored: UInt64 = 0
        let reason = code {
            while true {
                var write = try environment.write()
                try write.append(table, stored, [UInt8](repeating: 7, count: 1_000))
                try write.commit()
                stored += 1
            }
        }
        #expect(reason == .diskFull)
        #expect(stored > 500, "\(stored) values of 1,000 bytes were stored")
        #expect(try environment.snapshot().count(table) == Int(stored))
    }
}
