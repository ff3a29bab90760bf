import Histories
import Loyalty
import LoyaltyCodec
import Testing

@testable import Archive
@testable import Audit

/// Rules about edited profiles, passwords and erased accounts.
@Suite struct ErasureRuleTests {
    private let account = AccountID(1)
    private let other = AccountID(2)

    private func violations(_ events: [(AccountID, LoyaltyEvent)]) -> Int {
        var book = RuleBook()
        var count = 0
        for (index, (actor, event)) in events.enumerated() {
            let time = Instant(microseconds: 1_700_000_000_000_000 + Int64(index))
            count += book.apply(Fact(position: UInt64(index + 1), time: time, actor: actor, event: event), mark: nil).count
        }
        return count
    }

    private func registered(_ account: AccountID, _ phone: UInt128) -> (AccountID, LoyaltyEvent) {
        (account, .accountRegistered(AccountRegistered(account: account, phone: Secret(phone), sealedPhone: Sealed([1]))))
    }

    private var edited: LoyaltyEvent { .profileEdited(ProfileEdited(account: account, change: ProfileChange(city: .cleared))) }
    private var password: LoyaltyEvent { .passwordSet(PasswordSet(account: account, sealedHash: Sealed([1]))) }
    private var erased: LoyaltyEvent { .accountErased(AccountErased(account: account)) }

    @Test("The life of an account from its registration to its erasure breaks no rule")
    func wholeLife() {
        let life = [registered(account, 1), (account, edited), (account, password), (account, edited), (account, erased)]
        #expect(violations(life) == 0)
        #expect(violations(life + [registered(other, 2)]) == 0)
    }

    @Test("An event of an account after its erasure is a finding")
    func afterErasure() {
        for late in [edited, password, erased] {
            #expect(violations([registered(account, 1), (account, erased), (account, late)]) > 0)
        }
    }

    @Test("An account is edited and erased only by itself, and only after its registration")
    func onlyItself() {
        for event in [edited, password, erased] {
            #expect(violations([registered(account, 1), registered(other, 2), (other, event)]) > 0)
            #expect(violations([registered(other, 2), (account, event)]) > 0, "an account that has never registered")
        }
    }

    @Test("The hash of an erased account's phone number is never used again")
    func usedPhone() { #expect(violations([registered(account, 1), (account, erased), registered(other, 1)]) > 0) }
}
