import Loyalty
import Testing

@testable import CommandService
@testable import HTTPAPI

/// Tests the limits on password hashes that one client, one network and one account may cause.
@Suite("Password budget")
struct PasswordBudgetTests {
    private let budget: PasswordBudget
    private let clock = TestClock()

    init() { budget = PasswordBudget(clock: clock) }

    private static func phone(_ number: Int) throws -> E164Number { try #require(E164Number("+86138001\(38_100 + number)")) }

    /// The code of the refusal; nil if the budget admitted the hashes.
    private func refusal(_ address: ClientAddress?, _ count: Int = 1, for holder: PasswordBudget.Holder?) -> ProblemCode? {
        do throws(Problem) {
            try budget.takeHashes(count, address, for: holder)
            return nil
        } catch { return error.code }
    }

    @Test("Successful sign-ins of one account do not use up the hashes of other holders")
    func oneHolder() throws {
        let (one, other) = (PasswordBudget.Holder.phone(try Self.phone(1)), PasswordBudget.Holder.phone(try Self.phone(2)))
        let answers = (0..<60).map { refusal(ClientAddress("198.51.100.\($0)"), for: one) }
        #expect(answers.prefix(20).allSatisfy { $0 == nil } && answers.dropFirst(20).allSatisfy { $0 == .rateLimited })
        #expect(refusal(ClientAddress("203.0.113.5"), for: other) == nil)
        #expect(refusal(ClientAddress("203.0.113.6"), for: nil) == nil, "strangers have a share of their own")
        clock.advance(seconds: 30)
        #expect(refusal(ClientAddress("198.51.100.1"), for: one) == nil)
        #expect(refusal(ClientAddress("198.51.100.1"), for: one) == .rateLimited)
    }

    @Test("An account may change its password ten times, successfully or not, and no more often")
    func changes() {
        let one = PasswordBudget.Holder.account(AccountID(1))
        for _ in 0..<10 { #expect(refusal(nil, 2, for: one) == nil) }
        #expect(refusal(nil, 2, for: one) == .rateLimited)
        #expect(refusal(nil, 2, for: .account(AccountID(2))) == nil)
    }

    @Test("Strangers who try one number do not use up its holder's hashes")
    func strangers() throws {
        for number in 0..<60 { #expect(refusal(ClientAddress("203.0.\(number).5"), for: nil) == nil) }
        #expect(refusal(ClientAddress("203.0.113.5"), for: nil) == .overloaded)
        #expect(refusal(ClientAddress("198.51.100.7"), for: .phone(try Self.phone(1))) == nil)
    }

    @Test("All addresses of one IPv6 /48 together have four times the hashes of one address, and each IPv4 address has its own")
    func networks() throws {
        /// Requests a thousand hashes, one a second, and returns how many are admitted. Each request is for another account, so that only
        /// the limits of addresses matter.
        func counted(_ address: (Int) -> String) throws -> Int {
            var counted = 0
            for number in 0..<1_000 {
                clock.advance(seconds: 1)
                let answer = refusal(ClientAddress(address(number)), for: .phone(try Self.phone(number)))
                if answer == nil { counted += 1 } else { #expect(answer == .rateLimited) }
            }
            return counted
        }
        let ofNetwork = try counted { "2001:db8:7:\(String($0, radix: 16))::1" }
        // The network has four times the allowance of an address. It gets a burst of 160 hashes, and 160 more in every 600 of the thousand
        // seconds.
        #expect((400...440).contains(ofNetwork), "\(ofNetwork)")
        #expect(refusal(ClientAddress("2001:db8:8::1"), for: .phone(try Self.phone(1))) == nil, "another network is not limited")
        #expect(try counted { "198.18.\($0 / 250).\($0 % 250)" } == 1_000)
    }
}
