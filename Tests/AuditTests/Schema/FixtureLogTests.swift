import EventLog
import Histories
import Loyalty
import LoyaltyCodec
import Testing

@testable import Archive
@testable import Audit

/// The stored logs contain every event shape ever written, and all programs can read them.
@Suite struct FixtureLogTests {
    init() throws { if FixtureLog.isRecording { try FixtureLog.record() } }

    @Test("Every type and version of an event is in one of the stored logs")
    func everyVersion() throws {
        var found: Set<String> = []
        for name in try FixtureLog.names() {
            try FixtureLog.data(name).log(.readOnly).scan { _, record in
                found.insert("\(LoyaltySchema.schema.types[record.type] ?? "?").v\(record.schemaVersion)")
                return true
            }
        }
        var expected: Set<String> = []
        for (type, name) in LoyaltySchema.schema.types {
            for version in 1...(LoyaltySchema.versions[type] ?? 1) { expected.insert("\(name).v\(version)") }
        }
        #expect(found == expected, "a new event shape needs a new stored log: see FixtureLog")
    }

    @Test("The stored logs break no rule")
    func storedLogs() throws {
        for name in try FixtureLog.names() {
            var (book, broken) = (RuleBook(), [String]())
            try FixtureLog.data(name).log(.readOnly).scan { position, record in
                let fact = try LoyaltyCodec.decode(record, at: position)
                broken += book.apply(fact, mark: LoyaltyCodec.mark(of: record)).map(\.what)
                return true
            }
            #expect(broken == [], "\(name)")
        }
    }
}
