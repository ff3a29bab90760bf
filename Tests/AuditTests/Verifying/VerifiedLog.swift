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

/// A log of a random history, and looks at it.
struct VerifiedLog {
    let data: TestData
    /// The moment of the look, at which nothing is in the future.
    static let now = Timestamp(microseconds: 2_000_000_000_000_000)

    /// - Parameter facts: in order, positions from 1.
    init(_ facts: some Collection<Fact>) throws {
        data = try TestData.with(facts)
    }

    init(data: TestData) { self.data = data }

    static func history(_ name: String, _ count: Int) -> RandomHistory {
        var history = RandomHistory(random: SeededRandom.announced(name))
        history.grow(to: count)
        return history
    }

    /// A history of just so many events that ends with a whole command, as every log does: half of one breaks the rules.
    static func whole(_ name: String, _ count: Int) throws -> [Fact] {
        for attempt in 0..<100 {
            let facts = history("\(name) \(attempt)", count).facts
            if count == 0 || facts.count == count || !isOneCommand(facts[count - 1], facts[count]) { return Array(facts.prefix(count)) }
        }
        throw CancellationError()
    }

    /// Whether an event goes on with what the one before has begun: a stamp on the card that was opened for it, or the rest of a code.
    private static func isOneCommand(_ first: Fact, _ second: Fact) -> Bool {
        guard first.time == second.time, first.actor == second.actor else { return false }
        switch (first.event, second.event) {
        case (.cardOpened, .cardStamped), (.cardStamped, .cardOpened): return true
        default: return false
        }
    }

    var file: URL { URL(fileURLWithPath: data.path + "/log/data.mdb") }

    func report(_ change: (inout Verification.Options) -> Void = { _ in }) throws -> VerifyReport {
        var options = Verification.Options(now: Self.now)
        change(&options)
        return try Verification(AuditedFolder(data.path), options: options).run()
    }

    /// Every record as the storage engine reads it, and the root: what a flip that nobody reads must leave alone.
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
