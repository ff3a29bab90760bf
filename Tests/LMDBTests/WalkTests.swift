import Foundation
import LMDB
import Testing

/// The memory that remains mapped after a long walk.
@Suite struct WalkTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let values = 20_000
    private static let valueBytes = 1_000

    private func environment(walkBytesHeld: Int?) throws -> Environment {
        var options = Environment.Options()
        options.walkBytesHeld = walkBytesHeld
        return try Environment(directory: folder.environment, access: .readWrite, options: options)
    }

    private func fill(_ environment: Environment, _ table: Table) throws {
        var write = try environment.write()
        for key in 0..<UInt64(Self.values) {
            try write.append(table, key, [UInt8](repeating: UInt8(truncatingIfNeeded: key), count: Self.valueBytes))
        }
        try write.commit()
    }

    /// The number of bytes of the environment's file that are in this process's memory.
    private func resident() throws -> Int {
        // The system reports the path with links resolved.
        let path = URL(fileURLWithPath: folder.dataFile).resolvingSymlinksInPath().path
        var kilobytes = 0
        var isOurs = false
        for line in try Self.maps().split(separator: "\n") {
            if line.contains("-"), line.contains(" r") || line.contains(" -") { isOurs = line.hasSuffix(path) }
            if isOurs, line.hasPrefix("Rss:") { kilobytes += Int(line.split(separator: " ")[1]) ?? 0 }
        }
        return kilobytes * 1_024
    }

    /// Reads the file in chunks, because its reported size is 0 and one read returns only one page.
    private static func maps() throws -> String {
        let file = try #require(FileHandle(forReadingAtPath: "/proc/self/smaps"))
        var bytes = Data()
        while let piece = try file.read(upToCount: 4_096), !piece.isEmpty { bytes += piece }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func walk(_ environment: Environment, _ table: Table, backwards: Bool = false) throws -> Int {
        let snapshot = try environment.snapshot()
        var cursor = try snapshot.cursor(table)
        var sum = 0
        while backwards ? try cursor.previous() : try cursor.next() { sum += Int(cursor.value[0]) + Int(cursor.value[Self.valueBytes - 1]) }
        return sum
    }

    @Test("A walk returns the memory of passed pages, in both directions", arguments: [false, true])
    func givesBackWhatIsBehindIt(backwards: Bool) throws {
        let environment = try environment(walkBytesHeld: 1 << 20)
        let table = try environment.table("log", .integer)
        try fill(environment, table)
        let expected = (0..<Self.values).reduce(0) { $0 + 2 * ($1 & 0xFF) }
        #expect(try walk(environment, table, backwards: backwards) == expected)
        let held = try resident()
        #expect(held > 0 && held < 4 << 20)
        // Released memory has the same content when it is read again.
        #expect(try walk(environment, table, backwards: backwards) == expected)
    }

    /// The address of an empty value is meaningless. Because of such an address, an earlier version released a range that began at 0, and
    /// so released all memory of the process.
    @Test("Empty values release no memory of the process")
    func emptyValuesTakeNothingAlong() throws {
        let environment = try environment(walkBytesHeld: 4_096)
        let table = try environment.table("sets", .bytes)
        var write = try environment.write()
        for key in 0..<20_000 {
            let value = [UInt8](repeating: 7, count: key % 3 == 0 ? 0 : 40)
            try write.put(table, Array("key \(key)".utf8), value)
        }
        try write.commit()
        let mine = (0..<100_000).map { UInt64($0) }
        let snapshot = try environment.snapshot()
        var cursor = try snapshot.cursor(table)
        var count = 0
        while try cursor.next() { count += 1 }
        #expect(count == 20_000)
        #expect(mine.reduce(0, +) == 4_999_950_000, "the process's other memory is unchanged")
    }

    @Test("A walk without a limit keeps its pages in memory")
    func keepsEverythingWhereNobodyAsks() throws {
        let environment = try environment(walkBytesHeld: nil)
        let table = try environment.table("log", .integer)
        try fill(environment, table)
        _ = try walk(environment, table)
        let held = try resident()
        #expect(held > Self.values * Self.valueBytes)
    }
}
