import Loyalty
import LoyaltyCodec
import Testing

@testable import Archive

/// Rules about the cards from which a reversal takes stamps. Each test breaks one rule in a history, and the rule book reports it.
extension OfficeRulesTests {
    private static let (next, third) = (CardID(41), CardID(42))

    /// The seconds by which a clock is ahead for a few events.
    private static let month: Int64 = 30 * 86_400

    private func now(_ step: Step) -> Step { Step(actor: step.actor, event: step.event, seconds: 0) }

    /// The first code's two stamps filled the first card, and the second code's stamp is on the next card. Then the first code's stamps
    /// were reversed, which removed one stamp from each card. So the stamp that is left on the first card now belongs to the second code.
    private var moved: [Step] {
        full + [
            issued(2), opened(Self.next), stamped(2, on: Self.next), tookBack(1, from: Self.next),
            discarded(Self.next, by: Self.owner), now(tookBack(1)),
        ]
    }

    private var later: [Step] { [issued(3), opened(Self.third), stamped(3, on: Self.third)] }

    @Test("Stamps that moved to another card are taken back from that card, and from no other")
    func movedStamps() {
        #expect(findings(moved + [tookBack(2)]) == [])
        #expect(findings(moved + [discarded(), tookBack(2)]) == [])
        #expect(findings(moved + [discarded()] + later + [tookBack(2)]) == [])
        #expect(!findings(moved + [discarded()] + later + [tookBack(2, from: Self.third)]).isEmpty, "a reversal of another code's stamps")
        let refilled = moved + [issued(4), stamped(4)]
        #expect(findings(refilled + [tookBack(2)]) == [])
        #expect(findings(refilled + later + [tookBack(2, from: Self.third)]) == [])
        #expect(!findings(refilled + [requested(1), redeemed(1), discarded()] + [tookBack(2)]).isEmpty, "stamps of a redeemed card")
        #expect(!findings(refilled + [requested(1), redeemed(1)] + later + [tookBack(2, from: Self.third)]).isEmpty, "redeemed stamps")
    }

    @Test("A code's stamps are taken back in parts, each of which leaves fewer, and never more than the code gave")
    func parts() {
        let three = [edited(goal: 5), issued(1, stamps: 3), opened(goal: 5), stamped(1, stamps: 3)]
        let one = three + [tookBack(1, leaving: 2)]
        #expect(findings(one) == [] && findings(one + [tookBack(1, leaving: 1), tookBack(1)]) == [])
        #expect(findings(one + [tookBack(1, stamps: 2)]) == [])
        #expect(!findings(one + [tookBack(1, stamps: 3)]).isEmpty, "a part beyond what is left")
        #expect(!findings(three + [tookBack(1, leaving: 3)]).isEmpty, "more was left than the code gave")
        #expect(!findings(one + [tookBack(1, leaving: 2)]).isEmpty, "as much was left as before")
        #expect(!findings(one + [tookBack(1, stamps: 2), tookBack(1)]).isEmpty, "nothing was left")
        #expect(!findings(three + [tookBack(1, stamps: 2, leaving: 0), tookBack(1)]).isEmpty, "one command in two parts")
    }

    @Test("A part concerns the cards that have it: not those that were redeemed with the code's first stamps, or lost its last ones before")
    func partsOfCards() {
        let two = [issued(1, stamps: 3), opened(), stamped(1, stamps: 2), opened(Self.next, after: 0), stamped(1, on: Self.next, after: 0)]
        let rewarded = two + [requested(1), redeemed(1)]
        #expect(findings(rewarded + [tookBack(1, leaving: 2, from: Self.next)]) == [])
        let more = rewarded + [issued(2), stamped(2, on: Self.next)]
        #expect(!findings(more + [tookBack(1, stamps: 2, leaving: 1, from: Self.next)]).isEmpty, "a redeemed stamp")
        let five = [edited(goal: 5), issued(1, stamps: 5), opened(goal: 5), stamped(1, stamps: 5)]
        let three = [issued(2, stamps: 3), opened(Self.next, goal: 5), stamped(2, on: Self.next, stamps: 3)]
        let replaced = [
            tookBack(2, leaving: 2, from: Self.next), tookBack(1, stamps: 2, from: Self.next), discarded(Self.next, by: Self.owner),
            now(tookBack(1, stamps: 3)),
        ]
        #expect(findings(five + three + replaced + [tookBack(2, stamps: 2)]) == [])
    }

    @Test("Stamps on a card that its holder discarded are not taken from the collecting card")
    func discardedStamps() {
        let gone = [issued(1), opened(), stamped(1), discarded()] + later
        #expect(findings(gone + [tookBack(1)]) == [])
        #expect(!findings(gone + [tookBack(1, from: Self.third)]).isEmpty)
        #expect(findings(gone + [tookBack(3, from: Self.third)]) == [])
    }

    @Test("If an operator removed a code's stamps, a reversal of this code takes no stamps of another code")
    func adjustedStamps() {
        let both = [edited(goal: 5), issued(1), issued(2, stamps: 2), opened(goal: 5), stamped(1), stamped(2, stamps: 2)]
        let gone = both + [adjusted(-2), tookBack(1), discarded(), issued(3), opened(Self.third, goal: 5), stamped(3, on: Self.third)]
        #expect(findings(gone) == [])
        #expect(!findings(gone + [tookBack(2, from: Self.third)]).isEmpty)
        let onNext = Step(
            actor: Self.member,
            event: .cardAdjusted(
                .init(card: Self.next, campaign: Self.campaign, shop: Self.shop, holder: Self.customer, stamps: -1, reason: "x")))
        let begun = full + [issued(2), opened(Self.next), stamped(2, on: Self.next), onNext]
        let emptied = begun + [discarded(Self.next, by: Self.owner), now(tookBack(1, stamps: 2)), issued(3), stamped(3)]
        #expect(findings(emptied) == [])
        #expect(!findings(emptied + [tookBack(2)]).isEmpty)
    }

    @Test("Stamps that a discarded card lacks because a full card kept its own are taken off the full card")
    func lentAndDiscardedStamps() {
        let two = [issued(1), opened(), stamped(1), issued(2, stamps: 2), stamped(2), opened(Self.next, after: 0)]
        let one = two + [stamped(2, on: Self.next, after: 0), tookBack(1, from: Self.next), discarded(Self.next)]
        #expect(findings(one + [tookBack(2, stamps: 2)]) == [])
        let begun = [
            edited(goal: 3), issued(1, stamps: 4), opened(goal: 3), stamped(1, stamps: 3), opened(Self.next, goal: 3, after: 0),
            stamped(1, on: Self.next, after: 0), issued(2, stamps: 3), stamped(2, on: Self.next, stamps: 2),
            opened(Self.third, goal: 3, after: 0), stamped(2, on: Self.third, after: 0), tookBack(1, from: Self.third),
            discarded(Self.third, by: Self.owner), now(tookBack(1, stamps: 3, from: Self.next)),
        ]
        let gone = begun + [issued(3, stamps: 2), stamped(3, on: Self.next, stamps: 2), discarded(Self.next)]
        #expect(findings(gone + [tookBack(2, stamps: 2, from: Self.next), now(tookBack(2))]) == [])
        #expect(!findings(gone + [tookBack(2, from: Self.next), now(tookBack(2, stamps: 2))]).isEmpty, "stamps that the card still had")
    }

    @Test("A reversal that older versions accepted, because it came after two neighbouring reversals, is no finding")
    func olderNeighbours() {
        let onNext = Step(
            actor: Self.member,
            event: .cardAdjusted(
                .init(card: Self.next, campaign: Self.campaign, shop: Self.shop, holder: Self.customer, stamps: -1, reason: "x")))
        let begun = full + [issued(2), opened(Self.next), stamped(2, on: Self.next), onNext, issued(3), stamped(3, on: Self.next)]
        let first = begun + [tookBack(3, from: Self.next)]
        let second = [discarded(Self.next, by: Self.owner), now(tookBack(1, stamps: 2)), issued(4), stamped(4), tookBack(2)]
        #expect(findings(first + second) == [])
        #expect(!findings(first + [issued(5)] + second).isEmpty, "no version accepted it after another event")
    }

    @Test("A reversal takes stamps off the collecting card and the full cards that have the code's stamps, and off no other full card")
    func otherFullCards() {
        let two = full + [issued(2, stamps: 2), opened(Self.next), stamped(2, on: Self.next, stamps: 2)]
        #expect(findings(two + [tookBack(1, stamps: 2)]) == [])
        #expect(!findings(two + [tookBack(1, stamps: 2, from: Self.next)]).isEmpty)
        #expect(findings(two + later + [tookBack(1, from: Self.third), discarded(Self.third, by: Self.owner), now(tookBack(1))]) == [])
    }

    @Test("Stamps that a card lost instead of a full card are taken off the full card, also after their card was replaced")
    func lentAndReplacedStamps() {
        let begun = [
            issued(1), opened(), stamped(1), issued(2, stamps: 4), stamped(2), opened(Self.next, after: 0),
            stamped(2, on: Self.next, stamps: 2, after: 0), opened(Self.third, after: 0), stamped(2, on: Self.third, after: 0), issued(3),
            stamped(3, on: Self.third),
        ]
        let once =
            begun + [
                tookBack(2, stamps: 2, from: Self.third), discarded(Self.third, by: Self.owner),
                now(tookBack(2, stamps: 2, from: Self.next)),
            ]
        #expect(findings(once + [issued(4), discarded(Self.next, by: Self.owner), now(tookBack(3))]) == [])
        let apart =
            full + [
                issued(2, stamps: 2), opened(Self.next), stamped(2, on: Self.next, stamps: 2), issued(3), opened(Self.third),
                stamped(3, on: Self.third), tookBack(2, from: Self.third), discarded(Self.third, by: Self.owner),
                now(tookBack(2, from: Self.next)), discarded(Self.next),
            ]
        #expect(findings(apart + [tookBack(3, from: Self.next)]) == [])
        #expect(!findings(apart + [tookBack(3)]).isEmpty, "a full card that kept no stamps of the code")
    }

    @Test("Stamps that a card lost instead of a full card are complete, whatever the cards lost that replaced it")
    func lentBeforeTheyMoved() {
        let begun = [
            edited(goal: 5), issued(1, stamps: 4), opened(goal: 5), stamped(1, stamps: 4), issued(2, stamps: 6), stamped(2),
            opened(Self.next, goal: 5, after: 0), stamped(2, on: Self.next, stamps: 5, after: 0), issued(3), opened(Self.third, goal: 5),
            stamped(3, on: Self.third),
        ]
        let once =
            begun + [
                tookBack(2, from: Self.third), discarded(Self.third, by: Self.owner), now(tookBack(2, stamps: 5, from: Self.next)),
            ]
        let twice = once + [issued(4), discarded(Self.next, by: Self.owner), now(tookBack(1, stamps: 4))]
        #expect(findings(twice + [tookBack(3)]) == [])
    }

    @Test("A redemption code becomes invalid when its card loses a stamp, even if the card is full again later")
    func codesThatAreOver() {
        let back = [issued(2), stamped(2)]
        #expect(!findings(full + [requested(1), adjusted(-1)] + back + [redeemed(1)]).isEmpty)
        #expect(findings(full + [requested(1), adjusted(-1)] + back + [requested(2), redeemed(2)]) == [])
        #expect(!findings(full + [requested(1), tookBack(1, stamps: 2), issued(2, stamps: 2), stamped(2, stamps: 2), redeemed(1)]).isEmpty)
    }

    /// Two stamps on a full card, given while the clock was a month ahead.
    private var ahead: [Step] {
        let expiry = Self.start.advanced(bySeconds: Self.month + 50_000)
        let issued = CodeIssued(
            code: .init(20_000), campaign: Self.campaign, shop: Self.shop, secret: Secret(20_000), attempt: 0, stamps: 2, expiresAt: expiry)
        return [
            Step(actor: Self.owner, event: .codeIssued(issued), seconds: Self.month), opened(Self.next),
            stamped(20_000, on: Self.next, stamps: 2),
        ]
    }

    /// The redemption of the card that was filled while the clock was ahead.
    private var redeemedAhead: [Step] {
        let requested = RedemptionRequested(
            redemption: .init(9), card: Self.next, campaign: Self.campaign, shop: Self.shop, holder: Self.customer, secret: Secret(9),
            attempt: 0, expiresAt: Self.start.advanced(bySeconds: Self.month + 200))
        let redeemed = CardRedeemed(
            redemption: .init(9), card: Self.next, campaign: Self.campaign, shop: Self.shop, holder: Self.customer)
        return [
            Step(actor: Self.customer, event: .redemptionRequested(requested)), Step(actor: Self.owner, event: .cardRedeemed(redeemed)),
        ]
    }

    @Test("Codes, stamps and rewards from before a clock was ahead for a moment are known after its correction")
    func clockThatWasAhead() {
        let used = [opened(after: -Self.month), stamped(1)]
        #expect(findings([issued(1)] + ahead + used, isForgetful: true) == [])
        #expect(findings(full + ahead + [tookBack(1, stamps: 2, after: -Self.month)], isForgetful: true) == [])
        let redeemed = full + [requested(1), redeemed(1)] + ahead + redeemedAhead
        #expect(findings(redeemed + [reversed(1, after: -Self.month)], isForgetful: true) == [])
        let many = (1...10_000 as ClosedRange<UInt128>).map { issued($0) }
        #expect(findings(many + ahead + used) == [], "the rule book has as many open codes as make it remove expired ones")
    }

    @Test("Nobody redeems the code of an erased holder")
    func erasedHolders() {
        let erased = Step(actor: Self.customer, event: .accountErased(.init(account: Self.customer)))
        #expect(findings([invited] + full + [requested(1), erased]) == [])
        #expect(!findings([invited] + full + [requested(1), erased, redeemed(1)]).isEmpty)
    }
}
