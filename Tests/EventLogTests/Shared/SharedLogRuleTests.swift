import EventLog
import SharedLogs
import Testing

/// The engine in memory, over which most tests of nodes run, keeps the contract to which real engines are held.
@Suite struct SharedLogRuleTests {
    @Test("The shared log in memory keeps the contract", arguments: SharedLogRule.allCases)
    func contract(_ rule: SharedLogRule) throws { try rule.check(MemorySharedLog()) }

    @Test("A log that cannot keep the contract is found", arguments: [SharedLogRule.refusesOtherHeads, .refusesOtherClaims])
    func careless(_ rule: SharedLogRule) {
        withKnownIssue { try rule.check(CarelessLog(log: MemorySharedLog())) }
    }
}

/// Compares and stores nothing but claims.
private struct CarelessLog: SharedLog {
    let log: MemorySharedLog

    func head() throws(EventLogError) -> Head? { try log.head() }

    func append(_ entry: Entry, replacing old: Head) throws(EventLogError) -> SharedLogAnswer { .durable }

    func claim(replacing old: Head?, as new: Head) throws(EventLogError) -> SharedLogAnswer {
        try log.claim(replacing: log.head(), as: new)
    }

    func entries(after position: Position, bytes: Int) throws(EventLogError) -> [[UInt8]] { [] }

    func trim(through position: Position) throws(EventLogError) { try log.trim(through: position) }
}
