import Loyalty
import Testing
import World

/// Codes that are issued in bonus hours give a multiple of their stamps. The time of issue, in the shop's local time, decides.
@Suite struct BonusTests {
    private static let (first, second) = (CodeID(71), CodeID(72))
    private static let monday = Weekdays(rawValue: 1)
    /// Mondays from 14:00 to 16:00, three times the stamps.
    private static let afternoon = [BonusHours(days: monday, fromMinute: 840, toMinute: 960, factor: 3)]

    private func running(_ options: CampaignOptions, goal: Int = 50, caps: StampCaps = .none) -> Scenario {
        Scenario.running.given(Sample.campaignEdited(goal: goal, to: Sample.afterDays(400), caps: caps, options: options))
    }

    private func running(_ bonuses: [BonusHours] = afternoon, goal: Int = 50) -> Scenario {
        running(CampaignOptions(bonuses: bonuses), goal: goal)
    }

    /// A moment in Shanghai's local time, in seconds since the midnight that began Monday, 20 November 2023.
    private static func onMonday(_ seconds: Int64) -> Instant { Sample.after(-22_400 + 5 * 86_400 + seconds) }

    private func code(_ code: CodeID, stamps: Int = 1, until: Instant = Sample.afterDays(399)) -> LoyaltyEvent {
        Sample.issued(code, secret: Secret(code.value), stamps: stamps, expiresAt: until)
    }

    private func enter(_ code: CodeID, _ scenario: Scenario, opening card: CardID = Sample.card, at now: Instant) -> Outcome {
        scenario.when(Sample.stamp(Secret(code.value), firstCard: card), by: Sample.customer, at: now)
    }

    /// The stamps that a code worth one stamp gives if it is issued at this time and entered a minute later.
    private func given(_ scenario: Scenario, issuedAt moment: Instant) -> Int? {
        let entered = enter(Self.first, scenario.given([code(Self.first)], at: moment), at: moment.advanced(bySeconds: 60))
        return entered.after.world.cards[Sample.card]?.stamps
    }

    // MARK: The time at which a code must be issued

    @Test("Bonus hours include their first second and not their end", arguments: [(50_399, 1), (50_400, 3), (57_599, 3), (57_600, 1)])
    func edges(_ second: Int, _ stamps: Int) {
        #expect(given(running(), issuedAt: Self.onMonday(Int64(second))) == stamps)
        #expect(given(running(), issuedAt: Self.onMonday(Int64(second) + 86_400)) == 1, "no bonus applies on Tuesday")
        #expect(given(running(), issuedAt: Self.onMonday(Int64(second) + 7 * 86_400)) == stamps, "the bonus also applies a week later")
    }

    @Test("A code's bonus depends on the time of its issue, not on the time at which it is entered")
    func issueTime() {
        let (inside, outside) = (Self.onMonday(50_400), Self.onMonday(57_600))
        let kept = running().given([code(Self.first)], at: inside)
        enter(Self.first, kept, at: outside).then(Sample.opened(goal: 50), Sample.stamped(3, with: Self.first, worth: 1))
        let early = running().given([code(Self.first)], at: Self.onMonday(50_399))
        enter(Self.first, early, at: inside).then(Sample.opened(goal: 50), Sample.stamped(1, with: Self.first))
    }

    @Test("Bonus hours that pass midnight also apply on the next morning")
    func hoursPassMidnight() {
        let night = running([BonusHours(days: Self.monday, fromMinute: 1_320, toMinute: 120, factor: 2)])
        for (second, stamps) in [(79_199, 1), (79_200, 2), (86_399, 2), (86_400, 2), (93_599, 2), (93_600, 1), (3_600, 1)] {
            #expect(given(night, issuedAt: Self.onMonday(Int64(second))) == stamps, "\(second)")
        }
    }

    @Test("The bonus hours that the campaign has when the code is entered apply")
    func editedHours() {
        let issued = running().given([code(Self.first)], at: Self.onMonday(50_400))
        let ended = issued.given(Sample.campaignEdited(goal: 50, to: Sample.afterDays(400)))
        enter(Self.first, ended, at: Self.onMonday(50_460)).then(Sample.opened(goal: 50), Sample.stamped(1, with: Self.first))
        let raised = [BonusHours(days: Self.monday, fromMinute: 840, toMinute: 960, factor: 5)]
        let edited = issued.given(
            Sample.campaignEdited(goal: 50, to: Sample.afterDays(400), options: CampaignOptions(bonuses: raised)))
        enter(Self.first, edited, at: Self.onMonday(50_460))
            .then(Sample.opened(goal: 50), Sample.stamped(5, with: Self.first, worth: 1))
    }

    // MARK: The time zone of bonus hours

    private static func at(_ seconds: Int64) -> Instant { Instant(microseconds: seconds * 1_000_000) }

    /// Daylight saving time began in Berlin on 31 March 2024 at 01:00 UTC and ended on 27 October at 01:00 UTC.
    private static let (ahead, back): (Int64, Int64) = (1_711_846_800, 1_729_990_800)
    private static let berlin = ZoneOffsets(
        seconds: 3_600, changes: [.init(at: at(ahead), seconds: 7_200), .init(at: at(back), seconds: 3_600)])

    private func inBerlin(from: Int, to: Int) -> Scenario {
        let sunday = BonusHours(days: Weekdays(rawValue: 1 << 6), fromMinute: from, toMinute: to, factor: 2)
        return running([sunday]).given(Sample.shopEdited(schedule: ShopSchedule(timeZone: "Europe/Berlin")))
            .knowing("Europe/Berlin", Self.berlin)
    }

    @Test("Bonus hours do not apply in an hour that the clocks skip")
    func skippedHour() {
        let skipped = inBerlin(from: 120, to: 180)
        for second: Int64 in [-3_601, -3_600, -1, 0, 1, 3_599, 3_600] {
            #expect(given(skipped, issuedAt: Self.at(Self.ahead + second)) == 1, "\(second)")
        }
        let halfSkipped = inBerlin(from: 90, to: 150)
        for (second, stamps) in [(-1_801, 1), (-1_800, 2), (-1, 2), (0, 1), (1_800, 1)] {
            #expect(given(halfSkipped, issuedAt: Self.at(Self.ahead + Int64(second))) == stamps, "\(second)")
        }
    }

    @Test("Bonus hours in an hour that the clocks repeat apply both times")
    func repeatedHour() {
        let repeated = inBerlin(from: 120, to: 180)
        for (second, stamps) in [(-3_601, 1), (-3_600, 2), (-1, 2), (0, 2), (3_599, 2), (3_600, 1)] {
            #expect(given(repeated, issuedAt: Self.at(Self.back + Int64(second))) == stamps, "\(second)")
        }
    }

    @Test("Bonus hours of a shop with an unknown time zone are in UTC")
    func unknownZone() {
        let nowhere = running().given(Sample.shopEdited(schedule: ShopSchedule(timeZone: "Middle/Earth")))
        #expect(given(nowhere, issuedAt: Self.onMonday(50_400)) == 1)
        #expect(given(nowhere, issuedAt: Self.onMonday(50_400 + 8 * 3_600)) == 3)
    }

    @Test("The zone that the shop has when the code is entered applies")
    func editedZone() {
        let issued = running().knowing("Europe/Berlin", Self.berlin).given([code(Self.first)], at: Self.onMonday(50_400))
        let moved = issued.given(Sample.shopEdited(schedule: ShopSchedule(timeZone: "Europe/Berlin")))
        enter(Self.first, moved, at: Self.onMonday(50_460)).then(Sample.opened(goal: 50), Sample.stamped(1, with: Self.first))
        let late = running().knowing("Europe/Berlin", Self.berlin).given([code(Self.first)], at: Self.onMonday(50_400 + 7 * 3_600))
        let corrected = late.given(Sample.shopEdited(schedule: ShopSchedule(timeZone: "Europe/Berlin")))
        enter(Self.first, corrected, at: Self.onMonday(50_460 + 7 * 3_600))
            .then(Sample.opened(goal: 50), Sample.stamped(3, with: Self.first, worth: 1))
    }

    @Test("A local time before 1970 has the right weekday and minute")
    func before1970() {
        #expect(LocalTime(of: Self.at(0), secondsAhead: 0) == LocalTime(day: 3, minute: 0))
        #expect(LocalTime(of: Instant(microseconds: -1), secondsAhead: 0) == LocalTime(day: 2, minute: 1_439))
        #expect(LocalTime(of: Self.at(0), secondsAhead: -60) == LocalTime(day: 2, minute: 1_439))
        #expect(LocalTime(of: Self.at(-3 * 86_400), secondsAhead: -1) == LocalTime(day: 6, minute: 1_439))
    }

    // MARK: The number of stamps in bonus hours

    @Test("The factor is applied once, however many cards take the stamps")
    func overSeveralCards() {
        let issued = running(goal: 2).given([code(Self.first, stamps: 2)], at: Self.onMonday(50_400))
        let (second, third) = (CardID(Sample.card.value + 1), CardID(Sample.card.value + 2))
        let given = enter(Self.first, issued, at: Self.onMonday(50_460)).then(
            Sample.opened(goal: 2), Sample.stamped(2, with: Self.first, worth: 0),
            Sample.opened(second, goal: 2), Sample.stamped(2, on: second, with: Self.first, worth: 0),
            Sample.opened(third, goal: 2), Sample.stamped(2, on: third, with: Self.first, worth: 2))
        // Because of the factor, the code opens further cards. The ids of these cards must be unused as well.
        let taken = issued.given(Sample.opened(third, by: Sample.stranger, goal: 2))
        enter(Self.first, taken, at: Self.onMonday(50_460)).thenRejected(.notFound)
        // A refund reverses all stamps that the code gave, including those of the factor.
        let taking = given.when(Sample.takeBack(Self.first), by: Sample.owner, at: Self.onMonday(50_500))
        let cards = [Sample.card, second, third].compactMap { taking.after.world.cards[$0]?.stamps }
        #expect(cards == [0, 0, 0])
        taking.after.when(Sample.takeBack(Self.first), by: Sample.owner, at: Self.onMonday(50_501)).thenRejected(.notReversible)
    }

    @Test("Welcome stamps are not multiplied by the factor of bonus hours")
    func welcomeStamps() {
        let issued = running(CampaignOptions(welcomeStamps: 2, bonuses: Self.afternoon))
            .given([code(Self.first), code(Self.second)], at: Self.onMonday(50_400))
        let welcomed = enter(Self.first, issued, at: Self.onMonday(50_460))
            .then(Sample.opened(goal: 50), Sample.stamped(5, with: Self.first, worth: 1))
        enter(Self.second, welcomed, at: Self.onMonday(50_460)).then(Sample.stamped(3, with: Self.second, worth: 1))
    }

    @Test("A code of ten stamps in bonus hours of factor five fills fifty cards with a goal of one")
    func largestCode() {
        let best = [BonusHours(days: .all, fromMinute: 0, toMinute: 1_440, factor: 5)]
        let issued = running(CampaignOptions(welcomeStamps: nil, bonuses: best), goal: 1)
            .given([code(Self.first, stamps: 10)], at: Self.onMonday(0))
        let entered = enter(Self.first, issued, at: Self.onMonday(60)).after.world
        #expect(entered.cards.count == 50 && entered.cards.values.allSatisfy { $0.status == .full })
    }

    @Test("Caps count bought stamps, even if the factor alone fills cards")
    func caps() {
        let caps = StampCaps(stampsPerDayMax: 50, minimumGapSeconds: nil)
        let best = [BonusHours(days: .all, fromMinute: 0, toMinute: 1_440, factor: 5)]
        var scenario = running(CampaignOptions(bonuses: best), goal: 1, caps: caps)
        for number in 0..<50 {
            let (id, card) = (CodeID(UInt128(1_000 + number)), CardID(UInt128(10_000 + number * 100)))
            let now = Self.onMonday(Int64(number))
            let entered = enter(id, scenario.given([code(id)], at: now), opening: card, at: now)
            #expect((try? entered.verdict.get().count) == 10, "code \(number) fills five cards")
            scenario = entered.after
        }
        let more = scenario.given([code(Self.first)], at: Self.onMonday(50))
        enter(Self.first, more, opening: CardID(90_000), at: Self.onMonday(50))
            .thenRejected(.stampedTooOften(retryAfterSeconds: 86_400 - 50))
    }

    @Test("Bonus stamps beyond the last allowed card lapse, and a refund takes back only the stamps given")
    func lastCard() {
        let issued = running(CampaignOptions(repeats: 1, bonuses: Self.afternoon), goal: 4)
            .given([code(Self.first, stamps: 2), code(Self.second)], at: Self.onMonday(50_400))
        let full = enter(Self.first, issued, at: Self.onMonday(50_460))
            .then(Sample.opened(goal: 4), Sample.stamped(4, with: Self.first, worth: 2))
        enter(Self.second, full, opening: CardID(900), at: Self.onMonday(50_460)).thenRejected(.cardLimitReached)
        full.when(Sample.takeBack(Self.first), by: Sample.owner, at: Self.onMonday(50_500)).then(Sample.tookBack(4, with: Self.first))
    }

    // MARK: Bonus hours at the counter

    @Test(
        "Stamps given at the counter get the factor of the time at which they are given",
        arguments: [(50_399, 1), (50_400, 3), (57_599, 3), (57_600, 1)])
    func atCounter(_ second: Int, _ stamps: Int) {
        let now = Self.onMonday(Int64(second))
        let give = GiveStamps(
            issue: IssueCode(
                code: Self.first, campaign: Sample.campaign, secret: Secret(Self.first.value), attempt: 0, stamps: 1, validFor: 1),
            holder: Sample.customer, isWaiting: false, firstCard: Sample.card)
        running().when(.giveStamps(give), by: Sample.owner, at: now).then(
            code(Self.first, until: now.advanced(bySeconds: 1)), Sample.opened(goal: 50),
            Sample.stamped(stamps, with: Self.first, worth: 1))
    }

    @Test("Codes of a strip get the factor of the time at which the strip was issued")
    func stripTime() {
        let strip = IssueStrip(
            codes: [Self.first, Self.second].map {
                IssueCode(code: $0, campaign: Sample.campaign, secret: Secret($0.value), attempt: 0, stamps: 1, validFor: 86_400)
            })
        let issued = running().when(.issueStrip(strip), by: Sample.owner, at: Self.onMonday(57_599)).after
        let one = enter(Self.first, issued, at: Self.onMonday(57_599)).after
        enter(Self.second, one, at: Self.onMonday(80_000)).then(Sample.stamped(3, with: Self.second, worth: 1))
    }
}
