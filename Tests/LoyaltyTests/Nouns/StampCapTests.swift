import Loyalty
import Testing
import World

/// A campaign's optional caps. A capped request gets its own rejection, different from that of a bad code, and does not use the code up.
@Suite struct StampCapTests {
    private static let hour: Int64 = 3_600

    private func capped(_ stampsPerDayMax: Int?, gap: Int? = nil, goal: Int = 10) -> Scenario {
        let caps = StampCaps(stampsPerDayMax: stampsPerDayMax, minimumGapSeconds: gap)
        return Scenario.running.given(Sample.campaignEdited(goal: goal, caps: caps), Sample.opened(goal: goal))
    }

    private func code(_ number: UInt128, stamps: Int = 1, until seconds: Int64 = 86_400) -> LoyaltyEvent {
        Sample.issued(CodeID(number), secret: Secret(number), stamps: stamps, expiresAt: Sample.after(seconds))
    }

    private func enter(_ number: UInt128, _ scenario: Scenario, at seconds: Int64) -> Outcome {
        scenario.when(Sample.stamp(Secret(number), firstCard: CardID(900)), by: Sample.customer, at: Sample.after(seconds))
    }

    @Test("A campaign without caps accepts codes one right after the other")
    func uncapped() {
        let two = Scenario.running.given(Sample.opened(), code(71), code(72))
        let one = enter(71, two, at: 0).then(Sample.stamped(with: CodeID(71)))
        enter(72, one, at: 0).then(Sample.stamped(with: CodeID(72)))
    }

    @Test("A daily cap counts the stamps of the last 24 hours, and frees places as the oldest of them age")
    func dailyCap() {
        let stamped = capped(3).given(Sample.stamped(2, with: CodeID(61)), at: Sample.start)
            .given(Sample.stamped(1, with: CodeID(62)), at: Sample.after(Self.hour))
            .given(code(71, until: 90_030), code(72, stamps: 3, until: 90_030))
        enter(71, stamped, at: Self.hour).thenRejected(.stampedTooOften(retryAfterSeconds: 23 * Self.hour))
        enter(71, stamped, at: 86_399).thenRejected(.stampedTooOften(retryAfterSeconds: 1))
        // The cap counts the stamps of the last 24 hours. After a day the two oldest stamps no longer count, so a code of one stamp is
        // accepted. An hour later the third stamp no longer counts either, so a code of three stamps is accepted.
        enter(71, stamped, at: 86_400).thenAccepted()
        enter(72, stamped, at: 86_400).thenRejected(.stampedTooOften(retryAfterSeconds: Self.hour))
        enter(72, stamped, at: 86_400 + Self.hour).thenAccepted()
    }

    @Test("The seconds to wait are rounded up, so that waiting them is enough")
    func roundedUp() {
        let stamped = capped(1).given(Sample.stamped(1, with: CodeID(61))).given(code(71))
        let now = Instant(microseconds: Sample.after(86_400).microseconds - 1)
        stamped.when(Sample.stamp(Secret(71)), by: Sample.customer, at: now).thenRejected(.stampedTooOften(retryAfterSeconds: 1))
    }

    @Test("A code is rejected until the least time since the code before has passed")
    func aGapBetweenTwoCodes() {
        let stamped = capped(nil, gap: 60).given(Sample.stamped(1, with: CodeID(61))).given(code(71))
        enter(71, stamped, at: 0).thenRejected(.stampedTooOften(retryAfterSeconds: 60))
        enter(71, stamped, at: 59).thenRejected(.stampedTooOften(retryAfterSeconds: 1))
        enter(71, stamped, at: 60).thenAccepted()
    }

    @Test("A stamp whose time lies ahead, because a clock was fast, does not count for the caps")
    func clockAhead() {
        let ahead = capped(1, gap: 60).given(Sample.stamped(1, with: CodeID(61)), at: Sample.after(5 * 86_400)).given(code(71))
        enter(71, ahead, at: 0).thenAccepted()
    }

    @Test("The longer wait is named if both caps reject a code")
    func theLongerOfBothWaits() {
        let stamped = capped(1, gap: 60).given(Sample.stamped(1, with: CodeID(61))).given(code(71))
        enter(71, stamped, at: 0).thenRejected(.stampedTooOften(retryAfterSeconds: 86_400))
    }

    @Test("A cap does not hide that a code is invalid, leaves a valid code unused, and counts each customer alone")
    func badCode() {
        let stamped = capped(1).given(Sample.stamped(1, with: CodeID(61))).given(code(71))
        enter(404, stamped, at: 0).thenRejected(.codeNotValid)
        let refused = enter(71, stamped, at: 0)
        refused.thenRejected(.stampedTooOften(retryAfterSeconds: 86_400))
        #expect(refused.after.world.codes[CodeID(71)]?.isUsed == false)
        // The cap is computed for each customer separately.
        stamped.when(Sample.stamp(Secret(71), firstCard: CardID(901)), by: Sample.stranger).thenAccepted()
    }

    @Test("A cap does not count an operator's adjustments")
    func adjustments() {
        let adjusted = capped(2).given(Sample.adjusted(5), Sample.adjusted(-1)).given(code(71, stamps: 2))
        enter(71, adjusted, at: 1).thenAccepted()
    }

    @Test("A new card is no way around a cap: a cap of one stamp a day also holds with a goal of 1")
    func filledCardsCount() {
        let full = capped(1, goal: 1).given(Sample.stamped(1, with: CodeID(61))).given(code(71, until: 90_000))
        enter(71, full, at: 1).thenRejected(.stampedTooOften(retryAfterSeconds: 86_399))
        enter(71, full.given(Sample.discarded()), at: 1).thenRejected(.stampedTooOften(retryAfterSeconds: 86_399))
        enter(71, full, at: 86_400).then(Sample.opened(CardID(900), goal: 1), Sample.stamped(1, on: CardID(900), with: CodeID(71)))
    }

    @Test("The least time between two codes also applies to codes on two cards")
    func gapOverCards() {
        let full = capped(nil, gap: 60, goal: 1).given(Sample.stamped(1, with: CodeID(61))).given(code(71))
        enter(71, full, at: 59).thenRejected(.stampedTooOften(retryAfterSeconds: 1))
        enter(71, full, at: 60).thenAccepted()
    }

    @Test("A cap counts all stamps of a code on several cards, and the least time counts it as one code")
    func severalCards() {
        let nearlyFull = capped(3, gap: 60, goal: 2).given(Sample.adjusted(1)).given(code(71, stamps: 3), code(72))
        let stamped = enter(71, nearlyFull, at: 1).then(
            Sample.stamped(1, with: CodeID(71)), Sample.opened(CardID(900), goal: 2),
            Sample.stamped(2, on: CardID(900), with: CodeID(71)))
        enter(72, stamped, at: 61).thenRejected(.stampedTooOften(retryAfterSeconds: 86_340))
        // The code was issued before the cap was lowered, and its stamps exceed the cap at any time.
        let late = capped(2, goal: 2).given(Sample.adjusted(1)).given(code(71, stamps: 3))
        enter(71, late, at: 1).thenRejected(.stampedTooOften(retryAfterSeconds: 86_400))
    }

    @Test("Only the newest gains are kept, and caps decide as if all gains were kept")
    func boundedGains() {
        var crowded = capped(50, goal: 1)
        for number in 0..<200 {
            crowded = crowded.given(
                [Sample.opened(CardID(UInt128(1_000 + number)), goal: 1), Sample.stamped(1, on: CardID(UInt128(1_000 + number)))],
                at: Sample.after(Int64(number)))
        }
        let gains = crowded.world.gains(of: Sample.customer, in: Sample.campaign)
        #expect(gains.newest.count == Limits.stampGains && Limits.stampGains > Limits.stampsPerDay.upperBound)
        // The oldest of the newest fifty stamps was given at second 150.
        enter(71, crowded.given(code(71, until: 90_000)), at: 200).thenRejected(.stampedTooOften(retryAfterSeconds: 86_400 - 50))
        enter(71, crowded.given(code(71, until: 90_000)), at: 86_400 + 150).thenAccepted()
    }

    @Test("Stamps that were taken back take no places of stamps that a cap counts")
    func reversedGains() {
        func names(_ number: Int) -> (card: CardID, code: CodeID) {
            (CardID(UInt128(1_000 + number)), CodeID(UInt128(1_000 + number)))
        }
        var crowded = capped(50, goal: 1)
        for number in 0..<65 {
            let (card, code) = names(number)
            crowded = crowded.given(
                [Sample.opened(card, goal: 1), Sample.stamped(on: card, with: code)], at: Sample.after(Int64(number)))
            // After fifty stamps, the newest fifteen are taken back, so that fifteen more fit.
            guard number == 49 else { continue }
            for taken in (35..<50).map(names) { crowded = crowded.given(Sample.tookBack(from: taken.card, with: taken.code)) }
        }
        let shown = crowded.given(code(71, until: 90_000))
        enter(71, shown, at: 65).thenRejected(.stampedTooOften(retryAfterSeconds: 86_400 - 65))
        enter(71, shown, at: 86_400).thenAccepted()
    }

    @Test("A code worth more stamps than the daily cap is not issued")
    func neverFits() {
        capped(2).when(Sample.issue(stamps: 3), by: Sample.owner).thenInvalid("stamps")
        capped(2).when(Sample.issue(stamps: 2), by: Sample.owner).thenAccepted()
    }

    @Test(
        "A cap outside of its bounds is rejected for a stamp card, and ignored for a promotion",
        arguments: [(0, 1), (51, 1), (1, 0), (1, 86_401)])
    func theyHaveBounds(_ perDay: Int, _ gap: Int) {
        let caps = StampCaps(stampsPerDayMax: perDay, minimumGapSeconds: gap)
        let open = Scenario.registered.given(Sample.shopOpened())
        open.when(Sample.publish(caps: caps), by: Sample.owner)
            .thenInvalid((1...50).contains(perDay) ? "minimumGapSeconds" : "stampsPerDayMax")
        open.when(Sample.publish(kind: .promotion, caps: caps), by: Sample.owner).thenAccepted()
    }
}
