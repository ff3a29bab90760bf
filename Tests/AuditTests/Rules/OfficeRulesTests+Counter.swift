import Loyalty
import LoyaltyCodec
import Testing

@testable import Archive

/// Rules about stamps given at a counter, reversed stamps, reopened campaigns and closed shops.
extension OfficeRulesTests {
    @Test("A code's stamps are taken back in one step, within a day, by people of the shop other than the holder")
    func takenBackOnce() {
        #expect(findings(full + [tookBack(1, stamps: 2, after: 86_399)]) == [])
        #expect(!findings(full + [tookBack(1, stamps: 2, after: 86_400)]).isEmpty)
        #expect(!findings(full + [tookBack(1), tookBack(1)]).isEmpty, "a code reversed in two steps")
        #expect(!findings(full + [tookBack(1, stamps: 3)]).isEmpty, "more stamps reversed than the code gave")
        #expect(!findings(full + [tookBack(1, stamps: 2, by: Self.member)]).isEmpty)
        #expect(!findings(full + [hired(Self.customer), tookBack(1, stamps: 2, by: Self.customer)]).isEmpty, "the holder is on the staff")
        #expect(!findings([issued(1), opened(), issued(2), tookBack(2)]).isEmpty, "a reversal of a code that was not used")
        #expect(!findings([issued(1), opened(), stamped(1), adjusted(-1), tookBack(1)]).isEmpty, "a reversal below zero stamps")
    }

    @Test("A shop stamps a customer's card only with a code that it issues in the same step")
    func stampsAtTheCounter() {
        func by(_ actor: AccountID, _ step: Step, after seconds: Int64 = 0) -> Step {
            Step(actor: actor, event: step.event, seconds: seconds)
        }
        let given = [issued(1, stamps: 3), by(Self.owner, opened()), by(Self.owner, stamped(1, stamps: 2))]
        let other = CardID(41)
        let rest = [by(Self.owner, opened(other)), by(Self.owner, stamped(1, on: other))]
        #expect(findings(given + rest) == [])
        #expect(findings(given) == [] && !findings(given, ends: true).isEmpty, "a code with a stamp left at the log's end")
        #expect(!findings([issued(1), by(Self.owner, opened(), after: 1), by(Self.owner, stamped(1))]).isEmpty, "a stamping too late")
        #expect(!findings([issued(1), by(Self.member, opened()), by(Self.member, stamped(1))]).isEmpty, "a stamping by another member")
        #expect(!findings([issued(1), issued(2), by(Self.owner, opened()), by(Self.owner, stamped(1))]).isEmpty, "a stamp of another code")
        #expect(!findings([hired(Self.customer), issued(1), by(Self.owner, opened()), by(Self.owner, stamped(1))]).isEmpty, "for staff")
        #expect(!findings([issued(1, by: Self.member), by(Self.member, opened()), by(Self.member, stamped(1))]).isEmpty, "by a stranger")
    }

    @Test("Stamps of a redeemed card are taken back only after its redemption is reversed")
    func keptStamps() {
        let redeemed = full + [requested(1), redeemed(1)]
        #expect(!findings(redeemed + [tookBack(1, stamps: 2)]).isEmpty)
        #expect(findings(redeemed + [reversed(1), tookBack(1, stamps: 2)]) == [])
        #expect(!findings(full + [requested(1), tookBack(1, stamps: 2), self.redeemed(1)]).isEmpty, "a reward of a card no longer full")
    }

    @Test("Stamps that come off a full card leave one collecting card: the shop discards a card that the reversal empties")
    func anEmptiedCardIsDiscarded() {
        let other = CardID(41)
        let two = full + [issued(2), opened(other), stamped(2, on: other)]
        let step = Step(actor: Self.owner, event: tookBack(1).event, seconds: 0)
        #expect(findings(two + [tookBack(1, from: other), discarded(other, by: Self.owner), step]) == [])
        #expect(!findings(two + [tookBack(1, from: other), step]).isEmpty, "two collecting cards")
        #expect(!findings(two + [discarded(other, by: Self.owner), step]).isEmpty, "a discarded card that was not emptied")
        #expect(!findings(two + [tookBack(1, from: other), discarded(other, by: Self.owner)], ends: true).isEmpty, "the only card")
        #expect(!findings(two + [tookBack(1, from: other), discarded(other, by: Self.owner), issued(3)]).isEmpty, "no reversal follows")
    }

    @Test("Stamps that were taken back count for no cap")
    func uncountedStamps() {
        let capped = edited(goal: 5, caps: StampCaps(stampsPerDayMax: 1, minimumGapSeconds: nil))
        let one = [capped, issued(1), issued(2), opened(goal: 5), stamped(1)]
        #expect(!findings(one + [stamped(2)]).isEmpty)
        #expect(findings(one + [tookBack(1), stamped(2)]) == [])
    }

    @Test("A campaign is reopened once, within a day, by its owner, with its old end and while its shop is open")
    func reopenedOnce() {
        #expect(
            findings([issued(1), ended(), reopened(after: 80_000), opened(), stamped(1)]) == []
                && findings([ended(), reopened(after: 86_399)]) == [])
        #expect(!findings([ended(), reopened(after: 86_400)]).isEmpty)
        #expect(!findings([reopened()]).isEmpty && !findings([ended(), reopened(), reopened()]).isEmpty)
        #expect(!findings([ended(), reopened(by: Self.member)]).isEmpty)
        #expect(!findings([ended(), reopened(until: 9_000_001)]).isEmpty, "a reopened campaign with another end")
        #expect(!findings([ended(after: 8_999_000), reopened(after: 1_000)]).isEmpty, "a campaign reopened after its end")
        #expect(!findings([ended(), suspended, reopened()]).isEmpty && !findings([ended(), closed, reopened()]).isEmpty)
    }

    @Test("At a closed shop no code, card or campaign begins, and full cards are still redeemed")
    func closedShop() {
        #expect(findings(full + [ended(), closed, requested(1), redeemed(1)]) == [])
        #expect(!findings([closed, issued(1)]).isEmpty)
        #expect(!findings([issued(1), closed, opened(), stamped(1)]).isEmpty)
        #expect(!findings([closed, published]).isEmpty)
    }

    @Test("A shop closes once, and its owner's erasure does not move the last day of redemption")
    func closesOnce() {
        guard case .shopClosed(let first) = closed.event else {
            Issue.record("the step is no closing")
            return
        }
        func erased(until end: Instant) -> [Step] {
            let again = LoyaltyEvent.shopClosed(.init(shop: Self.shop, redeemUntil: end, erasesContact: true))
            return [Step(actor: Self.owner, event: again), Step(actor: Self.owner, event: .accountErased(.init(account: Self.owner)))]
        }
        #expect(findings([closed] + erased(until: first.redeemUntil)) == [])
        let again = ["shop \(Self.shop.text) had closed, and closed again"]
        #expect(findings([closed] + erased(until: first.redeemUntil.advanced(bySeconds: 1))) == again, "a later last redemption")
        #expect(findings([closed, closed]) == again, "a shop closed twice by its owner")
    }
}
