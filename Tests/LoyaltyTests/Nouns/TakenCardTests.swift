import Loyalty
import Testing
import World

/// The refunds, welcomes and limits once an account has taken over cards that waited for its number.
@Suite struct TakenCardTests {
    private static let (first, second, own) = (CardID(700), CardID(701), CardID(800))

    private func stamped(
        _ stamps: Int, on card: CardID, code: UInt128, by holder: AccountID = Sample.ghost, opens: Bool = true, expiresAt: Instant? = nil,
        _ scenario: Scenario, worth: Int? = nil
    ) -> Scenario {
        let terms = CardTerms(expiresAt: expiresAt, redeemUntil: nil)
        let issued = scenario.given(Sample.issued(CodeID(code), secret: Secret(code), stamps: worth ?? stamps))
        let opened = opens ? issued.given(Sample.opened(card, by: holder, terms: terms)) : issued
        return opened.given(Sample.stamped(stamps, on: card, with: CodeID(code), by: holder, worth: worth ?? stamps))
    }

    private func take(_ scenario: Scenario, _ card: CardID = first, at seconds: Int64 = 0) -> Outcome {
        scenario.when(.takeWaitingCard(TakeWaitingCard(card: card)), by: Sample.customer, at: Sample.after(seconds))
    }

    private func refund(_ code: UInt128, _ scenario: Scenario) -> Outcome {
        scenario.when(.reverseStamp(ReverseStamp(code: CodeID(code), reason: "Refund")), by: Sample.owner)
    }

    private func stamps(_ outcome: Outcome) -> [Int] {
        [Self.own, Self.first].map { outcome.after.world.cards[$0]?.stamps ?? 0 }
    }

    private func taking(_ outcome: Outcome) -> WaitingCardTaken? {
        guard case .success(let events) = outcome.verdict, case .waitingCardTaken(let event)? = events.last else { return nil }
        return event
    }

    @Test("A refund takes stamps off both cards on which a code's stamps are")
    func divided() {
        let both = stamped(4, on: Self.first, code: 61, stamped(8, on: Self.own, code: 62, by: Sample.customer, .running))
        let taken = take(both)
        #expect(stamps(taken) == [10, 2])
        let refunded = refund(61, taken.after)
        refunded.thenAccepted()
        #expect(stamps(refunded) == [8, 0])
    }

    @Test("A code that stamps the card after it was taken over is refunded as ever")
    func later() {
        let taken = take(stamped(4, on: Self.first, code: 61, .running)).after
        let again = stamped(3, on: Self.first, code: 62, by: Sample.customer, opens: false, taken)
        #expect(stamps(refund(62, again)) == [0, 4])
        #expect(stamps(refund(61, again)) == [0, 3])
    }

    @Test("Stamps that lapsed are not taken back, and keep no refund from the others")
    func welcomed() {
        let welcoming = Scenario.running.given(Sample.campaignEdited(options: CampaignOptions(welcomeStamps: 2)))
        let mine = stamped(3, on: Self.own, code: 62, by: Sample.customer, welcoming, worth: 1)
        let taken = take(stamped(3, on: Self.first, code: 61, mine, worth: 1))
        #expect(stamps(taken) == [4, 0])
        let refunded = refund(61, taken.after)
        refunded.thenAccepted()
        #expect(stamps(refunded) == [3, 0])
    }

    @Test("Refunds never take stamps that the account earned elsewhere: the oldest code's stamps move first, the others lapse")
    func lapsed() {
        let once = Scenario.running.given(Sample.campaignEdited(options: CampaignOptions(repeats: 1)))
        var scenario = stamped(7, on: Self.own, code: 62, by: Sample.customer, once)
        scenario = stamped(3, on: Self.first, code: 63, scenario)
        scenario = stamped(3, on: Self.first, code: 64, opens: false, scenario)
        let taken = take(stamped(4, on: Self.first, code: 65, opens: false, scenario))
        #expect(stamps(taken) == [10, 0])
        refund(64, taken.after).thenRejected(.notReversible)
        let refunded = refund(63, taken.after)
        #expect(stamps(refunded) == [7, 0])
        refund(65, refunded.after).thenRejected(.notReversible)
        #expect(stamps(refund(62, refunded.after)) == [0, 0])
    }

    @Test("A code that was refunded before the card was taken over has no part in it")
    func refundedBefore() {
        var scenario = stamped(3, on: Self.first, code: 61, .running)
        scenario = stamped(3, on: Self.first, code: 63, opens: false, scenario)
        let before = refund(61, scenario).after
        let taken = take(stamped(9, on: Self.own, code: 62, by: Sample.customer, before))
        #expect(stamps(taken) == [10, 2])
        #expect(stamps(refund(63, taken.after)) == [9, 0])
    }

    @Test("A welcome that a campaign began to give later does not lapse")
    func neverWelcomed() {
        let mine = stamped(3, on: Self.own, code: 62, by: Sample.customer, .running)
        let both = stamped(4, on: Self.first, code: 61, mine)
        let later = both.given(Sample.campaignEdited(options: CampaignOptions(welcomeStamps: 2)))
        #expect(stamps(take(later)) == [7, 0])
    }

    @Test("Every card brings its own codes, so a card that ended keeps no other from showing that the person was welcomed")
    func codes() {
        var scenario = stamped(10, on: Self.first, code: 61, expiresAt: Sample.after(60), .running)
        scenario = stamped(4, on: Self.second, code: 63, scenario)
        take(scenario, at: 60).thenNothing()
        #expect(taking(take(scenario, Self.second, at: 60))?.codes == 1)
    }

    @Test("A filled card that ended counts towards the limit of cards")
    func ended() {
        let limited = Scenario.running.given(Sample.campaignEdited(options: CampaignOptions(repeats: 2)))
        var scenario = stamped(10, on: Self.first, code: 61, expiresAt: Sample.after(60), limited)
        scenario = stamped(4, on: Self.second, code: 63, scenario)
        scenario = stamped(10, on: Self.own, code: 62, by: Sample.customer, scenario)
        let expired = CardExpired(
            card: Self.first, campaign: Sample.campaign, shop: Sample.shop, holder: Sample.ghost, dueAt: Sample.after(60))
        let aged = scenario.given(.cardExpired(expired))
        take(scenario, Self.second).thenAccepted()
        take(aged, Self.second, at: 60).thenNothing()
    }

    @Test("As many filled cards wait for one number as the limit allows")
    func bounded() {
        var scenario = Scenario.running
        for number in 0..<UInt128(Limits.waitingCardsMax) {
            scenario = stamped(10, on: CardID(1_000 + number), code: 2_000 + number, scenario)
            let issue = IssueCode(
                code: Sample.code, campaign: Sample.campaign, secret: Sample.secret, attempt: 0, stamps: 1, validFor: 600)
            let give = Command.giveStamps(GiveStamps(issue: issue, holder: Sample.ghost, isWaiting: true, firstCard: CardID(900)))
            let outcome = scenario.when(give, by: Sample.owner)
            if number + 1 < Limits.waitingCardsMax { outcome.thenAccepted() } else { outcome.thenRejected(.cardLimitReached) }
        }
    }
}
