internal import Foundation
internal import Merkle
internal import Synchronization
internal import Testing

@testable package import EventLog

/// The contract of a ``SharedLog``, written once for all engines.
package enum SharedLogRule: CaseIterable, Sendable {
    case beginsEmpty, showsClaims, refusesOtherClaims, showsAppends, refusesOtherHeads, changesNothingTwice, comparesEveryByte
    case keepsOrder, boundsReads, fillsAnswers, readsWithinEntries, namesWhatIsMissing, keepsWhatIsNotTrimmed, hasOneWinner

    /// Expects the rule of a log that is empty, and that nothing else uses.
    package func check(_ log: any SharedLog) throws {
        switch self {
        case .beginsEmpty: try Self.beginsEmpty(log)
        case .showsClaims: try Self.showsClaims(log)
        case .refusesOtherClaims: try Self.refusesOtherClaims(log)
        case .showsAppends: try Self.showsAppends(log)
        case .refusesOtherHeads: try Self.refusesOtherHeads(log)
        case .changesNothingTwice: try Self.changesNothingTwice(log)
        case .comparesEveryByte: try Self.comparesEveryByte(log)
        case .keepsOrder: try Self.keepsOrder(log)
        case .boundsReads: try Self.boundsReads(log)
        case .fillsAnswers: try Self.fillsAnswers(log)
        case .readsWithinEntries: try Self.readsWithinEntries(log)
        case .namesWhatIsMissing: try Self.namesWhatIsMissing(log)
        case .keepsWhatIsNotTrimmed: try Self.keepsWhatIsNotTrimmed(log)
        case .hasOneWinner: try Self.hasOneWinner(log)
        }
    }

    private static func beginsEmpty(_ log: any SharedLog) throws {
        #expect(try log.head() == nil)
        #expect(try log.entries(after: .start, bytes: 1_000).isEmpty)
        try log.trim(through: Position(5))
        #expect(try log.head() == nil)
    }

    private static func showsClaims(_ log: any SharedLog) throws {
        let first = head(term: 1), second = head(term: 2)
        #expect(try log.claim(replacing: nil, as: first) == .durable)
        #expect(try log.head() == first)
        #expect(try log.claim(replacing: first, as: second) == .durable)
        #expect(try log.head() == second)
    }

    private static func refusesOtherClaims(_ log: any SharedLog) throws {
        #expect(try log.claim(replacing: head(term: 1), as: head(term: 2)) == .superseded(nil))
        #expect(try log.head() == nil)
        let now = head(term: 3)
        #expect(try log.claim(replacing: nil, as: now) == .durable)
        #expect(try log.claim(replacing: nil, as: head(term: 4)) == .superseded(now))
        #expect(try log.claim(replacing: head(term: 2), as: head(term: 4)) == .superseded(now))
        #expect(try log.head() == now)
    }

    private static func showsAppends(_ log: any SharedLog) throws {
        var writer = try Writer(log)
        var entries: [[UInt8]] = []
        for count in 1...4 {
            entries.append(try writer.append(count).bytes)
            #expect(try log.head() == writer.head)
        }
        #expect(try all(log) == entries)
    }

    private static func refusesOtherHeads(_ log: any SharedLog) throws {
        var old = try Writer(log)
        try old.append(2)
        let new = Head(term: 2, writer: name("b"), process: 2, position: old.head.position, root: old.head.root)
        #expect(try log.claim(replacing: old.head, as: new) == .durable)
        let entries = try all(log)
        #expect(try log.append(old.next(1), replacing: old.head) == .superseded(new))
        #expect(try log.head() == new)
        #expect(try all(log) == entries)
    }

    private static func changesNothingTwice(_ log: any SharedLog) throws {
        var writer = try Writer(log)
        let (first, entry) = (writer.head, try writer.append(3))
        #expect(try log.append(entry, replacing: first) == .superseded(writer.head))
        #expect(try log.claim(replacing: nil, as: first) == .superseded(writer.head))
        try writer.append(1)
        #expect(try log.append(entry, replacing: first) == .superseded(writer.head))
        #expect(try log.head() == writer.head)
        #expect(try all(log).count == 2)
    }

    private static func comparesEveryByte(_ log: any SharedLog) throws {
        var writer = try Writer(log)
        try writer.append(1)
        let (now, entry) = (writer.head, writer.next(1))
        let others = [
            Head(term: now.term, writer: name("b"), process: now.process, position: now.position, root: now.root),
            Head(term: now.term, writer: now.writer, process: now.process + 1, position: now.position, root: now.root),
        ]
        for other in others {
            #expect(try log.append(entry, replacing: other) == .superseded(now))
            #expect(try log.claim(replacing: other, as: head(term: 9)) == .superseded(now))
        }
        #expect(try log.head() == now)
    }

    /// Positions from 1 to 1,100, so that their digits become more three times.
    private static func keepsOrder(_ log: any SharedLog) throws {
        var writer = try Writer(log)
        var entries: [Entry] = []
        for count in [1, 7, 1, 1, 1, 80, 8, 1, 1, 898, 1, 100] { entries.append(try writer.append(count)) }
        #expect(try all(log) == entries.map(\.bytes))
        for position in entries.flatMap({ [$0.first, $0.last] }) {
            #expect(try all(log, after: position) == entries.filter { $0.last > position }.map(\.bytes), "after \(position)")
        }
        #expect(try log.entries(after: writer.head.position, bytes: .max).isEmpty)
    }

    private static func boundsReads(_ log: any SharedLog) throws {
        var writer = try Writer(log)
        for _ in 1...5 { try writer.append(1, recordBytes: 20_000) }
        #expect(try log.entries(after: .start, bytes: 1).count == 1)
        let two = try log.entries(after: .start, bytes: 2 * 20_500)
        #expect((1...2).contains(two.count))
        #expect(try all(log, bytes: 2 * 20_500).count == 5)
    }

    private static func fillsAnswers(_ log: any SharedLog) throws {
        var writer = try Writer(log)
        for _ in 0..<30 { try writer.append(1, recordBytes: 1_000) }
        #expect(try log.entries(after: .start, bytes: 1 << 20).count == 30)
        let some = try log.entries(after: .start, bytes: 20_000)
        #expect((9...18).contains(some.count), "half of the bytes")
    }

    private static func readsWithinEntries(_ log: any SharedLog) throws {
        var writer = try Writer(log)
        for count in [3, 5, 1, 4] { try writer.append(count) }
        for after in 0..<13 as Range<UInt64> {
            let bytes = try #require(try log.entries(after: Position(after), bytes: 1).first)
            let entry = try Entry(bytes, key: Writer.key)
            #expect(entry.first <= Position(after + 1) && entry.last > Position(after), "after \(after): \(entry)")
        }
    }

    /// A log that is behind its reader never looks like one without news.
    private static func namesWhatIsMissing(_ log: any SharedLog) throws {
        func code(after position: UInt64) -> EventLogError.Code? {
            #expect(throws: EventLogError.self) { try log.entries(after: Position(position), bytes: 1_000) }?.code
        }
        #expect(code(after: 1) == .engineBehind)
        #expect(try log.claim(replacing: nil, as: head(term: 1, at: 5)) == .durable)
        #expect(code(after: 6) == .engineBehind)
        #expect(try log.entries(after: Position(5), bytes: 1_000).isEmpty)
        for after in [0, 4] as [UInt64] { #expect(code(after: after) == .trimmed, "the log begins anew at its head") }
    }

    private static func keepsWhatIsNotTrimmed(_ log: any SharedLog) throws {
        var writer = try Writer(log)
        var entries: [Entry] = []
        for count in [1, 3, 5, 2] { entries.append(try writer.append(count)) }
        for through in [Position(1), Position(2), Position(6), Position(6), Position(9)] {
            try log.trim(through: through)
            let left = try all(log)
            #expect(left == entries.suffix(left.count).map(\.bytes))
            #expect(left.count >= entries.count { $0.last > through }, "through \(through)")
            #expect(try log.head() == writer.head)
        }
        #expect(try all(log).count < entries.count, "something is trimmed")
        try writer.append(1)
        try log.trim(through: writer.head.position)
        #expect(try log.head() == writer.head)
        try writer.append(1)
        #expect(try all(log).last == writer.last?.bytes)
    }

    private static func hasOneWinner(_ log: any SharedLog) throws {
        var now: Head?
        for round in 0..<10 {
            let old = now
            let winners = Mutex<[Head]>([])
            let candidates = (1...4).map { node in
                Head(term: UInt64(round) + 1, writer: name("n\(node)"), process: UInt64(node), position: .start, root: TreeHasher.emptyRoot)
            }
            DispatchQueue.concurrentPerform(iterations: candidates.count) { index in
                guard (try? log.claim(replacing: old, as: candidates[index])) == .durable else { return }
                winners.withLock { $0.append(candidates[index]) }
            }
            now = try log.head()
            #expect(winners.withLock { $0 } == [now].compactMap(\.self), "round \(round)")
        }
    }
}

extension SharedLogRule {
    private static func head(term: UInt64, at position: UInt64 = 0) -> Head {
        Head(term: term, writer: name("a"), process: 7, position: Position(position), root: TreeHasher.emptyRoot)
    }

    fileprivate static func name(_ text: String) -> NodeName {
        guard let name = NodeName(text) else { preconditionFailure("no name: \(text)") }
        return name
    }

    private static func all(_ log: any SharedLog, after start: Position = .start, bytes: Int = .max) throws -> [[UInt8]] {
        var (found, position): ([[UInt8]], Position) = ([], start)
        while case let page = try log.entries(after: position, bytes: bytes), !page.isEmpty {
            found += page
            for bytes in page { position = try Entry(bytes, key: Writer.key).last }
        }
        return found
    }
}

/// A process that has claimed a log.
private struct Writer {
    static let key = EntryKey(secret: Array(repeating: 3, count: 32), log: "log.example/rules")

    private let log: any SharedLog
    private var edge = TreeEdge()
    private(set) var head: Head
    private(set) var last: Entry?

    init(_ log: any SharedLog) throws {
        self.log = log
        head = Head(term: 1, writer: SharedLogRule.name("a"), process: 1, position: .start, root: TreeHasher.emptyRoot)
        try #require(try log.claim(replacing: nil, as: head) == .durable)
    }

    /// The next entry, not yet appended.
    func next(_ count: Int, recordBytes: Int = 20) -> Entry {
        var edge = edge
        return next(count, recordBytes, onto: &edge)
    }

    @discardableResult
    mutating func append(_ count: Int, recordBytes: Int = 20) throws -> Entry {
        let entry = next(count, recordBytes, onto: &edge)
        try #require(try log.append(entry, replacing: head) == .durable)
        (head, last) = (head.advanced(by: entry), entry)
        return entry
    }

    private func next(_ count: Int, _ recordBytes: Int, onto edge: inout TreeEdge) -> Entry {
        var batch = EncodedBatch(first: head.position.next)
        for index in 0..<count {
            let record = [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: recordBytes)
            batch.append(record: record.span)
        }
        batch.hash(onto: &edge, withRoot: true)
        return Entry(batch, term: head.term, before: head.root, key: Self.key)
    }
}
