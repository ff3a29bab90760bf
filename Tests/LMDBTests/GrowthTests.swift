import Foundation
import Testing

@testable import LMDB

/// File sizes: the file grows with use, up to the map's size and no further.
@Suite struct GrowthTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func append(_ environment: Environment, _ table: Table, _ keys: Range<UInt64>) throws {
        var write = try environment.write()
        for key in keys { try write.append(table, key, [UInt8](repeating: UInt8(truncatingIfNeeded: key), count: 1_000)) }
        try write.commit()
    }

    @Test("A new file is small and grows with its content")
    func aNewFileIsSmallAndGrows() throws {
        let environment = try Environment(directory: folder.environment, access: .readWrite)
        let table = try environment.table("log", .integer)
        #expect(environment.statistics.mapBytes >= Limits.mapBytesFloor)
        #expect(try Files.size(folder.dataFile) < 100_000)
        try append(environment, table, 0..<20_000)
        #expect(try Files.size(folder.dataFile) > 20_000_000)
        #expect(environment.statistics.usedBytes > 20_000_000)
        let snapshot = try environment.snapshot()
        for key in stride(from: 0, to: 20_000, by: 997) as StrideTo<UInt64> {
            let value = try snapshot.get(table, key)
            guard let value else { throw TestFailure("lost \(key)") }
            #expect(value[999] == UInt8(truncatingIfNeeded: key))
        }
    }

    @Test("A transaction that does not fit into the map stores nothing")
    func aFullMapIsRefusedAndStoresNothing() throws {
        var options = Environment.Options()
        options.mapSizeMax = 1 << 20
        do {
            let environment = try Environment(directory: folder.environment, access: .readWrite, options: options)
            let table = try environment.table("log", .integer)
            try append(environment, table, 0..<100)
            #expect(code { try self.append(environment, table, 100..<5_000) } == .mapFull)
            #expect(try environment.snapshot().count(table) == 100)
        }
        options.mapSizeMax = 1 << 26
        let environment = try Environment(directory: folder.environment, access: .readWrite, options: options)
        let table = try environment.table("log", .integer)
        try append(environment, table, 100..<5_000)
        #expect(try environment.snapshot().count(table) == 5_000)
    }

    @Test("The error of a full map names the setting for the map's size")
    func theErrorOfAFullMapNamesItsSetting() throws {
        var options = Environment.Options()
        (options.mapSizeMax, options.mapSetting) = (1 << 20, "--words-map-gib")
        let environment = try Environment(directory: folder.environment, access: .readWrite, options: options)
        let table = try environment.table("log", .integer)
        do {
            try append(environment, table, 0..<5_000)
            Issue.record("five megabytes were stored in one")
        } catch let error as LMDBError {
            #expect(error.code == .mapFull && error.setting == "--words-map-gib")
            #expect(error.remedy.contains("larger --words-map-gib") && "\(error)".contains("--words-map-gib"))
        }
        #expect(LMDBError(number: ENOMEM, call: "mmap", path: "", setting: "--words-map-gib").setting == nil, "this limit has no setting")
    }

    @Test("An opening without a limit of its own reserves as much as the last writer, if that is more than the default")
    func anOpeningSeesAllThatTheWriterMayStore() throws {
        var options = Environment.Options()
        options.mapSizeMax = 1 << 26
        do {
            let environment = try Environment(directory: folder.environment, access: .readWrite, options: options)
            try append(environment, try environment.table("log", .integer), 0..<10)
        }
        #expect(Environment.reservedBytes(in: folder.environment) == 1 << 26)
        (options.mapSizeMax, options.mapSizeDefault) = (nil, 1 << 20)
        for access in [Environment.Access.readOnly, .readWrite] {
            let environment = try Environment(directory: folder.environment, access: access, options: options)
            #expect(environment.statistics.mapBytes == 1 << 26)
        }
        #expect(Environment.reservedBytes(in: folder.path + "/nothing") == nil)
    }

    @Test("Freed pages are reused while no snapshot needs them")
    func pagesAreReusedWhenNoSnapshotNeedsThem() throws {
        let environment = try Environment(directory: folder.environment, access: .readWrite)
        let table = try environment.table("words")
        func rewrite() throws {
            for round in 0..<50 {
                var write = try environment.write()
                for key in 0..<100 { try write.put(table, "\(key)".bytes, [UInt8](repeating: UInt8(round), count: 500)) }
                try write.commit()
                _ = try environment.snapshot().count(table)
            }
        }
        try rewrite()
        let size = try Files.size(folder.dataFile)
        try rewrite()
        #expect(try Files.size(folder.dataFile) <= size + 65_536, "idle snapshots hold no pages")
    }

    @Test("Commits without a flush are readable after a sync and a reopening", arguments: [false, true])
    func withoutFlushUntilSync(zeroesPages: Bool) throws {
        var options = Environment.Options()
        options.durability = .none
        options.zeroesPages = zeroesPages
        do {
            let environment = try Environment(directory: folder.environment, access: .readWrite, options: options)
            try append(environment, try environment.table("log", .integer), 0..<1_000)
            try environment.sync()
        }
        let reader = try Environment(directory: folder.environment, access: .readOnly)
        let table = try reader.table("log", .integer)
        #expect(try reader.snapshot().count(table) == 1_000)
    }

    @Test("A copy has every entry and no free pages, and needs an empty folder")
    func aCopyIsWholeAndCompact() throws {
        let environment = try Environment(directory: folder.environment, access: .readWrite)
        let table = try environment.table("log", .integer)
        try append(environment, table, 0..<5_000)
        do {
            var write = try environment.write()
            for key in 1_000..<5_000 as Range<UInt64> { _ = try write.delete(table, key) }
            try write.commit()
        }
        let target = folder.path + "/copies/first"
        try environment.copy(to: target)
        #expect(try Files.size(target + "/data.mdb") * 3 < Files.size(folder.dataFile))
        #expect(code { try environment.copy(to: target) } == .occupied)
        let copy = try Environment(directory: target, access: .readOnly)
        let copied = try copy.table("log", .integer)
        #expect(try copy.snapshot().count(copied) == 1_000)
    }
}
