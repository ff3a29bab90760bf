import EventLog
import Histories
import Loyalty
import LoyaltyCodec
import Testing

/// Accounts that have no key because the keys are a copy from before these accounts registered.
@Suite struct LackingKeysTests {
    /// The accounts of a history that were not erased, oldest first.
    private func accounts(_ sample: AuditSample) -> [AccountID] {
        let erased = sample.history.facts.compactMap { if case .accountErased(let event) = $0.event { event.account } else { nil } }
        return sample.history.facts.compactMap {
            guard case .accountRegistered(let event) = $0.event, !erased.contains(event.account) else { return nil }
            return event.account
        }
    }

    @Test("Accounts without a key count if an older account has one, also after others have registered beside these keys")
    func counted() throws {
        let sample = try AuditSample("lacking keys", count: 900)
        let (accounts, log) = (accounts(sample), try sample.data.log(.readOnly))
        try #require(accounts.count > 6)
        func lacking(_ gone: some Sequence<AccountID>) throws -> [Int] {
            let held = Set(accounts).subtracting(gone)
            let found = try log.lackingKeys { held.contains($0) }
            return [found.count, found.registeredSince]
        }
        #expect(try lacking([]) == [0, 0])
        #expect(try lacking(accounts.suffix(2)) == [2, 0])
        #expect(try lacking(accounts.dropLast().suffix(3)) == [3, 1], "a newer copy has the keys of three and lacks one")
        #expect(try lacking(accounts.prefix(3)) == [0, 0], "their keys were given up")
        #expect(try lacking(accounts) == [0, 0], "no account has a key: the keys are lost, or another log's")
    }
}
