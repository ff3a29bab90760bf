import EventLog
import Foundation
import LMDB
import Merkle
import Seeds
import Testing

/// The records that can be read from a log's file after damage to each of its pages.
@Suite(.temporaryFolder) struct LogRemainsTests {
    private static let pageBytes = 4_096
    private let sandbox: Sandbox
    private let file: URL
    private let records: [[UInt8]]
    /// For each position, the pages with the record.
    private let pages: [[Int]]
    private let whole: Data

    /// Makes a log of 700 events in commits of different sizes. Every 50th record is so large that it has pages of its own.
    init() throws {
        sandbox = try Sandbox()
        file = URL(filePath: sandbox.log + "/data.mdb")
        let log = try sandbox.open()
        let appender = try log.appender()
        for number in 1...700 as ClosedRange<UInt128> {
            let bytes = number % 50 == 0 ? 9_000 : 40 + Int(number % 90)
            try appender.stage(event(.stamped, card(number), payload: [UInt8](repeating: UInt8(number % 251), count: bytes)))
            if number % 7 == 0 { try appender.commit() }
        }
        try log.close()
        (records, pages) = try Self.content(sandbox.log)
        whole = try Data(contentsOf: file)
    }

    private static func content(_ directory: String) throws -> (records: [[UInt8]], pages: [[Int]]) {
        let log = try LogFile(directory: directory)
        defer { log.letGo() }
        var (cursor, bytes) = (FileCursor(try #require(log.events), in: log.file), [UInt8]())
        var (records, pages): ([[UInt8]], [[Int]]) = ([], [])
        while try cursor.next() {
            try cursor.value(into: &bytes)
            records.append(bytes)
            pages.append([Int(cursor.page)])
        }
        let content = try Data(contentsOf: URL(filePath: directory + "/data.mdb"))
        for (index, record) in records.enumerated() where record.count > 4_000 {
            let place = try #require(content.range(of: Data(record)))
            pages[index] += Array(place.lowerBound / pageBytes...(place.upperBound - 1) / pageBytes)
        }
        return (records, pages)
    }

    private func entries() throws -> [LogRemains.Entry] {
        var entries: [LogRemains.Entry] = []
        try LogRemains(directory: sandbox.log).forEach { position, entry in
            entries.append(entry)
            #expect(position.rawValue == UInt64(entries.count))
        }
        return entries
    }

    private func damage(_ kind: String, page: Int, _ random: inout SeededRandom) throws {
        var content = whole
        let bytes = page * Self.pageBytes..<(page + 1) * Self.pageBytes
        switch kind {
        case "zeroed": content.replaceSubrange(bytes, with: Data(count: Self.pageBytes))
        case "cut": content.removeSubrange(bytes.lowerBound...)
        default: content.replaceSubrange(bytes, with: (0..<Self.pageBytes).map { _ in UInt8.random(in: 0...255, using: &random) })
        }
        try content.write(to: file)
    }

    @Test("Of a whole log, every record is proved, and nothing is missing")
    func undamaged() throws { #expect(try entries() == records.map { .proved($0) }) }

    @Test("After damage to any page, every record whose own pages are intact is given", arguments: ["random", "zeroed", "cut"])
    func everyPage(kind: String) throws {
        var random = SeededRandom.announced("remains \(kind)")
        var (missing, unproved) = (0, 0)
        for page in (kind == "cut" ? 1 : 0)..<whole.count / Self.pageBytes {
            try damage(kind, page: page, &random)
            let found = try entries()
            #expect(found.count <= records.count)
            for (index, record) in records.enumerated() {
                let isIntact = pages[index].allSatisfy { kind == "cut" ? $0 < page : $0 != page }
                let entry = index < found.count ? found[index] : .missing
                if !isIntact { missing += 1 }
                if entry == .unproved(record) { unproved += 1 }
                let isGiven = entry == .proved(record) || entry == .unproved(record)
                // A copy of an overwritten page may be left from an earlier commit.
                #expect(isGiven || !isIntact && entry == .missing, "page \(page), position \(index + 1)")
            }
        }
        #expect(missing > 700 && unproved > 0, "\(missing) \(unproved)")
    }

    @Test("If both head pages are lost, the records are found nevertheless, and the last known position is reported")
    func bothHeads() throws {
        try (Data(count: 2 * Self.pageBytes) + whole.dropFirst(2 * Self.pageBytes)).write(to: file)
        #expect(try entries() == records.map { .proved($0) })
        #expect(try LogRemains(directory: sandbox.log, headMin: 710).head == 710)
    }

    @Test("A changed record is missing, and a changed hash is corrected by the hash over 256 leaves")
    func changed() throws {
        var hasher = TreeHasher()
        let hash = try #require(whole.range(of: Data(hasher.leaf(records[299]).bytes)))
        var content = whole
        content[hash.lowerBound] ^= 1
        for index in [99, 149] {
            let record = try #require(whole.range(of: Data(records[index])))
            content[record.upperBound - 1] ^= 1
        }
        try content.write(to: file)
        let found = try entries()
        let missing = found.indices.filter { found[$0] == .missing }
        #expect(missing == [99, 149])
        #expect(found[299] == .proved(records[299]))
    }

    /// A commit that a crash cuts short leaves pages with records that were never acknowledged. Later, other records get their positions.
    @Test("Of two different records for one position, neither is given without a proof")
    func cutShort() throws {
        let page = try #require(pages[500].first)
        var other = whole[page * Self.pageBytes..<(page + 1) * Self.pageBytes]
        let place = try #require(other.range(of: Data(records[500])))
        other[place.upperBound - 1] ^= 1
        let end = UInt64(whole.count / Self.pageBytes)
        let number = (0..<8).map { UInt8(truncatingIfNeeded: end >> (8 * $0)) }
        other.replaceSubrange(other.startIndex..<other.startIndex + 8, with: number)
        var hasher = TreeHasher()
        let hash = Data(hasher.leaf(records[500]).bytes)
        // The branch pages and the tree are lost, and the record is on two leaf pages.
        var content = whole + other
        for number in 0..<whole.count / Self.pageBytes {
            let start = number * Self.pageBytes
            let isHash = content[start..<start + Self.pageBytes].range(of: hash) != nil
            let isLost = number < 2 || content[start + 10] == 1 || isHash
            if isLost { content.replaceSubrange(start..<start + Self.pageBytes, with: Data(count: Self.pageBytes)) }
        }
        try content.write(to: file)
        let found = try entries()
        #expect(found[500] == .missing && found[499] == .unproved(records[499]))
        // With its hash, the right one is chosen.
        try (Data(count: 2 * Self.pageBytes) + whole.dropFirst(2 * Self.pageBytes) + other).write(to: file)
        #expect(try entries()[500] == .proved(records[500]))
    }

    @Test("An empty file is damaged, and another file has no records")
    func notALog() throws {
        try Data().write(to: file)
        let error = #expect(throws: EventLogError.self) { try LogRemains(directory: sandbox.log) }
        #expect(error?.code == .damaged || error?.storage?.code == .damaged, "\(String(describing: error))")
        try Data(repeating: 7, count: 50_000).write(to: file)
        #expect(try entries().isEmpty)
    }
}
