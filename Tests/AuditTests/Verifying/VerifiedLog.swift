import Archive
import Audit
import EventLog
import Foundation
import Histories
import Loyalty
import LoyaltyCodec
import Merkle
import Seeds
import Testing

/// A log of a random history, and its verification.
struct VerifiedLog {
    let data: TestData
    /// The time of the verification; no event lies in its future.
    static let now = Timestamp(microseconds: 2_000_000_000_000_000)

    /// - Parameter facts: the log's facts in order, with positions from 1.
    init(_ facts: some Collection<Fact>) throws { data = try TestData.with(facts) }

    init(data: TestData) { self.data = data }

    static func history(_ name: String, _ count: Int, joins: Bool = true) -> RandomHistory {
        var history = RandomHistory(random: SeededRandom.announced(name), milestones: true, joins: joins)
        history.grow(to: count)
        return history
    }

    /// Returns a history of exactly `count` events that ends with a complete command, because an incomplete command breaks the rules.
    ///
    /// - Parameter cuts: positions at which no command is divided, either.
    static func whole(_ name: String, _ count: Int, cuts: [Int] = []) throws -> [Fact] {
        for attempt in 0..<200 {
            let facts = history("\(name) \(attempt)", count, joins: false).facts
            let isWhole = ([count] + cuts).allSatisfy { $0 == 0 || $0 == facts.count || !isOneCommand(facts[$0 - 1], facts[$0]) }
            if isWhole { return Array(facts.prefix(count)) }
        }
        throw CancellationError()
    }

    /// Returns true if both events may come from one command.
    ///
    /// Such pairs are: a card and its first stamp, a stamp that fills a card and the next card of the same code, two cards from which one
    /// reversal removes stamps, and the end of a card with the event that required this end.
    private static func isOneCommand(_ first: Fact, _ second: Fact) -> Bool {
        guard first.time == second.time, first.actor == second.actor else { return false }
        switch (first.event, second.event) {
        case (.cardOpened, .cardStamped), (.cardStamped, .cardOpened): return true
        case (.cardDiscarded, .stampReversed), (.stampReversed, .stampReversed), (.cardExpired, _): return true
        default: return false
        }
    }

    var file: URL { URL(fileURLWithPath: data.path + "/log/data.mdb") }

    func report(_ change: (inout Verification.Options) -> Void = { _ in }) throws -> VerifyReport {
        var options = Verification.Options(now: Self.now)
        change(&options)
        return try Verification(AuditedFolder(data.path), options: options).run()
    }

    /// Returns the root and every record as the storage engine reads them. A flip in unused bytes must change neither.
    func content() throws -> [[UInt8]] {
        let log = try data.log(.readOnly)
        var records: [[UInt8]] = []
        try log.scan { _, record in
            records.append(record.event.payload + Array("\(record.event)".utf8))
            return true
        }
        return records + [try log.root().bytes]
    }
}
