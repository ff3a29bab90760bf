import Audit
import EventLog
import Histories
import Loyalty
import LoyaltyCodec
import Testing
import World

@testable import WhatIf

/// The effect of changed earlier events on later history.
@Suite struct FollowingTests {
    @Test("A recorded redemption redeems a card that a lower goal filled earlier, and later full cards wait")
    func filledEarlier() throws {
        var house = try TeaHouse(goal: 10)
        let guest = house.customer()
        house.visits(12, by: guest)
        try house.redeem(guest)
        house.visits(4, by: guest)
        let report = try house.whatIf(#"{"goal": 8}"#)
        #expect(report.change(\.filled) == "1 → 2")
        #expect(report.change(\.redeemed) == "1 → 1", "the second card is full, but the customer did not come for a reward again")
        #expect(report.refused.isEmpty)
    }

    @Test("A redemption leaves as many full cards unredeemed as it did in the recorded history")
    func cardsLeft() throws {
        var house = try TeaHouse(goal: 10)
        let guest = house.customer()
        house.visits(20, by: guest)
        try house.redeem(guest)
        house.wait(days: 1)
        let first = try house.whatIf(#"{"goal": 5}"#)
        // With a goal of five, four cards are full. In the recorded history one full card was not redeemed, so one stays unredeemed here
        // too, and three rewards are handed out.
        #expect(first.change(\.filled) == "2 → 4" && first.change(\.redeemed) == "1 → 3")
        try house.redeem(guest)
        #expect(try house.whatIf(#"{"goal": 5}"#).change(\.redeemed) == "2 → 4")
    }

    @Test("With redemption when full, a full card is redeemed without a request")
    func noRequest() throws {
        var house = try TeaHouse(goal: 10)
        let guest = house.customer()
        house.visits(12, by: guest)
        try house.redeem(guest)
        house.visits(4, by: guest)
        let report = try house.whatIf(#"{"goal": 8, "redemption": "whenFull"}"#)
        #expect(report.change(\.redeemed) == "1 → 2")
        #expect(report.times(.request, .redeemedBefore) == 1 && report.times(.redeem, .redeemedBefore) == 1)
        #expect(try house.whatIf(#"{"redemption": "whenFull"}"#).change(\.redeemed) == "1 → 1")
    }

    @Test("A card that is full before the rules begin is still redeemed by the recorded redemption")
    func fullBefore() throws {
        var house = try TeaHouse(goal: 2)
        let guest = house.customer()
        house.visits(2, by: guest)
        try house.redeem(guest)
        let report = try house.whatIf(#"{"redemption": "whenFull"}"#, from: "2026-01-06T12:00:00Z")
        #expect(report.isEmpty && report.change(\.redeemed) == "1 → 1")
    }

    @Test("A recorded discard applies to the card in the same state, and is refused if there is no such card")
    func sameState() throws {
        var house = try TeaHouse(goal: 10)
        let guest = house.customer()
        house.visits(9, by: guest)
        let card = try #require(house.cards(of: guest, .collecting).first)
        house.must(.discardCard(DiscardCard(card: card)), by: guest)
        house.visits(7, by: guest)
        // With a goal of eight, the first card is already full when the customer discards the collecting card, which has one stamp.
        let report = try house.whatIf(#"{"goal": 8}"#)
        #expect(report.change(\.filled) == "0 → 1" && report.change(\.opened) == "2 → 3")
        #expect(report.refused.isEmpty)
        // With a goal of nine, no card is collecting when the customer discards a card.
        let nine = try house.whatIf(#"{"goal": 9}"#)
        #expect(nine.times(.discard, .noSuchCard) == 1 && nine.change(\.filled) == "0 → 1")
    }

    @Test("A recorded correction is refused if its stamps do not fit on the card under the changed goal")
    func unfitCorrection() throws {
        var house = try TeaHouse(goal: 10)
        let guest = house.customer()
        house.visits(5, by: guest)
        let card = try #require(house.cards(of: guest, .collecting).first)
        house.must(.adjustCard(AdjustCard(card: card, expected: .any, stamps: 4, reason: "Forgotten")), by: house.owner)
        #expect(try house.whatIf(#"{"goal": 9}"#).change(\.filled) == "0 → 1")
        let report = try house.whatIf(#"{"goal": 8}"#)
        #expect(report.times(.adjust, .doesNotFit) == 1 && report.change(\.stamps) == "9 → 5")
    }

    @Test("A recorded reversal takes a redemption back, and is refused if there is none or it comes too late")
    func reversal() throws {
        var house = try TeaHouse(goal: 4)
        let guest = house.customer()
        house.visits(4, by: guest)
        let redemption = try house.redeem(guest)
        house.wait(hours: 1)
        house.must(.reverseRedemption(ReverseRedemption(redemption: redemption, reason: "Wrong card")), by: house.owner)
        #expect(try house.whatIf(#"{"goal": 3}"#).change(\.redeemed) == "0 → 0")
        let higher = try house.whatIf(#"{"goal": 5}"#)
        #expect(higher.times(.reverse, .notRedeemed) == 1)
        // The card is redeemed as soon as it is full. The recorded reversal comes a day later, which is too late.
        let whenFull = try house.whatIf(#"{"redemption": "whenFull"}"#)
        #expect(whenFull.times(.reverse, .notReversible) == 1 && whenFull.change(\.redeemed) == "0 → 1")
    }

    @Test("A run replaces cards as the rules do, also where two reversals come one right after the other")
    func neighbouringReversals() throws {
        var house = try TeaHouse(goal: 3)
        let guest = house.customer()
        var codes: [CodeID] = []
        for worth in [3, 1] {
            let secret = house.issue(worth: worth)
            codes.append(try #require(house.world.code(secret: secret)?.id))
            house.enter(secret, by: guest)
        }
        let begun = try #require(house.cards(of: guest, .collecting).first)
        for code in codes.reversed() { house.must(.reverseStamp(ReverseStamp(code: code, reason: "Refunded")), by: house.owner) }
        var replacements = Replacements()
        for fact in house.facts { replacements.apply(fact) }
        let replacement = try #require(replacements.known[begun])
        #expect(replacement == house.world.replacement(of: begun))
        #expect(replacement.code == codes[0] && replacement.stamps == 0)
    }

    @Test("A code that fills several cards fills more of them under a lower goal, and no stamp is lost")
    func severalCards() throws {
        var house = try TeaHouse(goal: 3)
        let guest = house.customer()
        house.stamp(guest, worth: 10)
        house.stamp(guest, worth: 2)
        let report = try house.whatIf(#"{"goal": 2}"#)
        #expect(report.change(\.opened) == "4 → 6" && report.change(\.filled) == "4 → 6" && report.change(\.stamps) == "12 → 12")
    }

    @Test("A reward costs its campaign's price or else the common one; a repeated or malformed price is rejected")
    func rewardPrices() throws {
        var house = try TeaHouse(goal: 2)
        let other = house.publish(goal: 2)
        let (one, two) = (house.customer(), house.customer())
        house.visits(2, by: one)
        try house.redeem(one)
        house.visits(2, by: two, of: other)
        try house.redeem(two)
        let report = try house.whatIf(#"{"goal": 1}"#, prices: ["350", "\(other.text)=1000"])
        #expect(report.change(\.redeemed) == "2 → 4")
        #expect(report.change(\.cents) == "1350 → 2700")
        var prices = Prices()
        let accepted = ["1", "1", "-1", "x=1", "1.5", ""].map { prices.add($0) }
        #expect(accepted == [true, false, false, false, false, false])
    }

    @Test("A log with an event that the rules do not give fails the self-check, which names the event's position")
    func failedCheck() throws {
        var house = try TeaHouse(goal: 3)
        let guest = house.customer()
        house.visits(2, by: guest)
        var facts = house.facts
        let last = try #require(facts.last)
        facts.append(Fact(position: last.position + 1, time: last.time, actor: last.actor, event: last.event))
        let report = try WhatIf(ProgrammeRules()).run(on: try TestData.with(facts).log(.readOnly))
        #expect(!report.check.isPassed && report.check.different == 1)
        #expect(report.check.firstDifference?.position == last.position + 1)
        #expect(ReportText(report, top: 3).lines.contains { $0.contains("equals the log: NO, commands that differ: 1; first at position") })
    }

    @Test("A failed self-check says how many recorded commands the service would refuse, as text and as JSON")
    func refusedCommands() throws {
        let check = SelfCheck(
            equal: 1, different: 3, refused: 2, firstDifference: .init(position: 7, detail: "stamp: the decision refuses it: codeNotValid"),
            digest: "aa", replayDigest: "aa")
        let rules = ProgrammeRules()
        let report = WhatIfReport(Rerun(rules, Prices()), rules, Prices(), check, Position(9))
        let line = """
            check    with the recorded rules the re-run equals the log: NO, commands that differ: 3; first at position 7: stamp: \
            the decision refuses it: codeNotValid; the log holds events of 2 commands that the service would refuse; \
            digest aa, of the replay aa
            """
        #expect(ReportText(report, top: 3).lines.contains(line))
        #expect(try #require(ReportLines(report, top: 3).lines.first).contains(#""differentRefused":2"#))
    }

    @Test("A number that registers after one of its two waiting cards was taken goes on collecting")
    func halfTaken() throws {
        var house = try TeaHouse(goal: 10)
        let other = house.publish(goal: 10)
        let (taker, waiting) = (house.customer(), AccountID(house.id()))
        house.give(to: waiting)
        house.give(to: waiting, of: other)
        let card = try #require(house.cards(of: waiting, .collecting).first)
        house.must(.takeWaitingCard(TakeWaitingCard(card: card)), by: taker)
        house.must(.registerAccount(RegisterAccount(account: waiting, phone: Secret(house.id()), sealedPhone: Sealed([1]))), by: waiting)
        house.wait(days: 1)
        house.stamp(waiting, of: other)
        let report = try house.whatIf("{}")
        #expect(report.isEmpty && report.change(\.stamps) == "3 → 3")
    }
}
