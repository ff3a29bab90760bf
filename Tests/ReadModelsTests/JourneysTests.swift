import EventLog
import Histories
import Loyalty
import Testing

@testable import ReadModels

/// Reports on customers' visits and cards, for histories written by hand.
@Suite(.timeLimit(.minutes(15))) struct JourneysTests {
    /// 2024-03-04, a Monday, in days since 1970.
    private static let monday = 19_786
    private static let shop = ShopID(1)
    private static let campaign = CampaignID(5)
    private static let owner = AccountID(10)

    /// A history to which events are added. Positions are consecutive, and times are counted from `monday`.
    private struct Story {
        private(set) var facts: [Fact] = []

        mutating func tell(_ event: LoyaltyEvent, _ day: Int, _ hour: Double = 12) {
            let time = Instant(microseconds: Int64((Double(monday + day) * 24 + hour) * 3_600_000_000))
            facts.append(Fact(position: UInt64(facts.count) + 1, time: time, actor: owner, event: event))
        }

        mutating func open(_ card: UInt128, of holder: UInt128, goal: Int = 4, at shop: ShopID = shop, _ day: Int, _ hour: Double = 12) {
            let event = CardOpened(card: CardID(card), campaign: campaign, shop: shop, holder: AccountID(holder), goal: goal, reward: "tea")
            tell(.cardOpened(event), day, hour)
        }

        mutating func stamp(
            _ card: UInt128, of holder: UInt128, cups stamps: Int = 1, at shop: ShopID = shop, _ day: Int, _ hour: Double = 12
        ) {
            let event = CardStamped(
                card: CardID(card), code: CodeID(UInt128(facts.count)), campaign: campaign, shop: shop, holder: AccountID(holder),
                stamps: stamps)
            tell(.cardStamped(event), day, hour)
        }

        /// Opens a card and stamps it once.
        mutating func begin(_ card: UInt128, of holder: UInt128, goal: Int = 4, _ day: Int, _ hour: Double = 12) {
            open(card, of: holder, goal: goal, day, hour)
            stamp(card, of: holder, day, hour)
        }

        mutating func publish(_ campaign: UInt128, _ days: Range<Int>) {
            func midnight(_ day: Int) -> Instant { Instant(microseconds: Int64(monday + day) * 86_400_000_000) }
            let event = CampaignPublished(
                campaign: CampaignID(campaign), shop: shop, kind: .promotion,
                terms: CampaignTerms(
                    title: "cake", details: "", goal: 0, reward: "", startsAt: midnight(days.lowerBound), endsAt: midnight(days.upperBound))
            )
            tell(.campaignPublished(event), days.lowerBound)
        }
    }

    /// - Parameter days: the reported days, counted from `monday`.
    private func report(
        _ story: Story, _ days: ClosedRange<Int>, hours: Int64 = 0, idle: Int = 60, campaign: UInt128? = nil, weeks: Int = 2
    ) async throws -> JourneyReport {
        let open = try OpenData(TestData())
        // The events are appended in pieces, so each batch finds the state that earlier batches left.
        for start in stride(from: 0, to: story.facts.count, by: 3) {
            #expect(try await open.append(story.facts[start..<min(start + 3, story.facts.count)]))
        }
        let period = ReportPeriod(days: (Self.monday + days.lowerBound)...(Self.monday + days.upperBound)) {
            Int(($0.number + 4 * hours) / 96)
        }
        let query = JourneyQuery(
            period: period, today: period.days.upperBound, idleDays: idle, campaign: campaign.map { CampaignID($0) }, weeks: weeks)
        let report = try open.models.journeys.report(of: Self.shop, query)
        try open.close()
        return report
    }

    @Test("A customer's cohort follows the first visit, even if that visit is imported later")
    func firstVisit() async throws {
        var story = Story()
        for (customer, weeks) in [(1, [0, 1, 3]), (2, [0, 3]), (3, [1]), (4, [2, 1])] as [(UInt128, [Int])] {
            story.open(customer, of: customer, goal: 50, 7 * weeks[0])
            for week in weeks { story.stamp(customer, of: customer, 7 * week + 2) }
        }
        // A late import adds a visit with an earlier time than all others.
        story.stamp(2, of: 2, -30)
        let found = try await report(story, 0...27).retention
        #expect(found.cohorts.map { $0.monday - Self.monday } == [0, 7])
        #expect(found.cohorts.map(\.customers) == [1, 2])
        #expect(found.cohorts.map(\.active) == [[1, 1, 0, 1], [2, 1, 0]])
        #expect(found.curve.map(\.customers) == [3, 3, 3, 1] && found.curve.map(\.active) == [3, 2, 0, 1])
        #expect(found.customers == 4 && found.returningCustomers == 3 && found.repeatVisitRate == 0.75)
        #expect(found.visits == 8 && found.stamps == 8, "the visit before the period is not counted")
        let later = try await report(story, 1...27).retention
        #expect(later.cohorts.map { $0.monday - Self.monday } == [7], "a week that began before the period is no cohort")
    }

    @Test("Stamps of a customer within one quarter of an hour count as one visit")
    func quarterHour() async throws {
        var story = Story()
        story.begin(1, of: 1, goal: 2, 0, 10)
        story.stamp(1, of: 1, 0, 10.1)
        story.begin(2, of: 1, 0, 10.2)
        story.stamp(2, of: 1, cups: 2, 0, 10.25)
        let found = try await report(story, 0...6).retention
        #expect(found.visits == 2 && found.stamps == 5)
        #expect(found.customers == 1 && found.returningCustomers == 0, "all visits of the customer were on one day")
        #expect(try await report(story, 0...6, hours: 14).retention.returningCustomers == 0)
    }

    @Test("Days and weeks of visits follow the report's time zone")
    func timeZone() async throws {
        var story = Story()
        story.begin(1, of: 1, 6, 15)
        story.stamp(1, of: 1, 6, 17)
        #expect(try await report(story, 0...13).retention.cohorts.map(\.active) == [[1, 0]])
        let east = try await report(story, 0...13, hours: 8).retention
        #expect(east.cohorts.map(\.active) == [[1, 1]] && east.repeatVisitRate == 1)
        let far = try await report(story, 0...13, hours: 10).retention
        #expect(far.cohorts.map(\.active) == [[1]] && far.cohorts.first?.monday == Self.monday + 7)
    }

    @Test("Times to fill a card have a median, a 90th percentile and a histogram, by the day on which it became full")
    func timesToFill() async throws {
        var story = Story()
        for (card, days) in [1, 1, 2, 3, 5, 8, 13, 21, 34, 55].enumerated() {
            let (card, holder) = (UInt128(card + 1), UInt128(card + 50))
            story.begin(card, of: holder, goal: 2, 0, 8)
            story.stamp(card, of: holder, days, 20)
        }
        story.begin(90, of: 90, goal: 2, 0)
        let found = try await report(story, 0...60).fill
        #expect(found.cards == 10)
        #expect(found.medianSeconds == 5.5 * 86_400 && found.p90Seconds == 34.5 * 86_400)
        #expect(found.histogram.map(\.days) == [1, 2, 3, 5, 8, 13, 21, 34, 55])
        #expect(found.histogram.map(\.cards) == [2, 1, 1, 1, 1, 1, 1, 1, 1])
        let few = try await report(story, 2...3).fill
        #expect(few.cards == 2 && few.medianSeconds == 2.5 * 86_400, "a card belongs to the day on which it became full")
        #expect(try await report(story, 100...101).fill.medianSeconds == nil)
    }

    @Test("A coupon is full from the start, so the reports on filling cards leave it out")
    func coupons() async throws {
        var story = Story()
        story.open(1, of: 1, goal: 0, 0)
        story.begin(2, of: 2, goal: 2, 0)
        story.stamp(2, of: 2, 3)
        let found = try await report(story, 0...200, idle: 30)
        #expect(found.fill.cards == 1 && found.fill.medianSeconds == 3 * 86_400)
        #expect(found.abandonment.cards == 1 && found.abandonment.full == 1)
        #expect(found.abandonment.steps.map(\.reached) == [1, 1])
    }

    @Test("An idle or discarded card is counted as abandoned at the number of stamps that it had")
    func abandonedCards() async throws {
        var story = Story()
        for (card, days) in [[0], [0, 1], [0, 1, 2], [0, 50], [0, 1, 2, 3], [0, 1, 2, 50]].enumerated() {
            let card = UInt128(card + 1)
            story.open(card, of: card, 0)
            for day in days { story.stamp(card, of: card, day) }
        }
        story.begin(7, of: 7, 49)
        story.tell(
            .cardDiscarded(CardDiscarded(card: CardID(7), campaign: Self.campaign, shop: Self.shop, holder: AccountID(7))), 49)
        let found = try await report(story, 0...60, idle: 30).abandonment
        #expect(found.cards == 7 && found.full == 2 && found.idle == 3 && found.discarded == 1)
        #expect(found.steps.map(\.stamps) == [0, 1, 2, 3])
        #expect(found.steps.map(\.reached) == [7, 7, 5, 3])
        #expect(found.steps.map(\.idle) == [0, 1, 1, 1])
        #expect(found.steps.map(\.discarded) == [0, 1, 0, 0])
        #expect(found.steps.map(\.share) == [0, 2.0 / 7, 1.0 / 5, 1.0 / 3] && found.abandonedShare == 4.0 / 7)
        let patient = try await report(story, 0...60, idle: 60).abandonment
        #expect(patient.idle == 0, "a card is idle only after more than sixty days")
        #expect(try await report(story, 0...60, idle: 59).abandonment.steps.map(\.idle) == [0, 1, 0, 0])
    }

    @Test("An adjustment makes a full card collect again or fills it, and is no visit")
    func adjustment() async throws {
        var story = Story()
        story.begin(1, of: 1, goal: 2, 0)
        story.stamp(1, of: 1, 4)
        func adjusted(_ stamps: Int) -> LoyaltyEvent {
            .cardAdjusted(
                CardAdjusted(
                    card: CardID(1), campaign: Self.campaign, shop: Self.shop, holder: AccountID(1), stamps: stamps, reason: "?"))
        }
        story.tell(adjusted(-1), 5)
        let taken = try await report(story, 0...70)
        #expect(taken.fill.cards == 0 && taken.abandonment.full == 0 && taken.abandonment.steps.map(\.idle) == [0, 1])
        story.tell(adjusted(1), 6)
        let given = try await report(story, 0...70)
        #expect(given.fill.medianSeconds == 6 * 86_400 && given.abandonment.full == 1)
        #expect(given.retention.visits == 2, "an adjustment by an operator is no visit")
    }

    @Test("A card whose stamps were all taken back was not abandoned, even if it was discarded; one with a stamp left is counted")
    func mistakes() async throws {
        var story = Story()
        func takeBack(_ stamps: Int, from card: UInt128, of holder: UInt128, _ day: Int) {
            let event = StampReversed(
                card: CardID(card), code: CodeID(0), campaign: Self.campaign, shop: Self.shop, holder: AccountID(holder), stamps: stamps,
                reason: "?")
            story.tell(.stampReversed(event), day)
        }
        func discard(_ card: UInt128, of holder: UInt128, _ day: Int) {
            story.tell(
                .cardDiscarded(
                    CardDiscarded(card: CardID(card), campaign: Self.campaign, shop: Self.shop, holder: AccountID(holder))), day)
        }
        // Seven stamps fill a card and begin the next one. The reversal discards the next card and empties the first.
        story.open(1, of: 1, goal: 5, 0)
        story.stamp(1, of: 1, cups: 5, 0)
        story.open(2, of: 1, goal: 5, 0)
        story.stamp(2, of: 1, cups: 2, 0)
        takeBack(2, from: 2, of: 1, 0)
        discard(2, of: 1, 0)
        takeBack(5, from: 1, of: 1, 0)
        let mistake = try await report(story, 0...90, idle: 30)
        #expect(mistake.abandonment.cards == 0 && mistake.abandonment.steps.isEmpty && mistake.abandonment.abandonedShare == nil)
        #expect(mistake.fill.cards == 0 && mistake.retention.visits == 1, "a visit counts even if its stamps are taken back")
        // A card with three stamps gets five more stamps. They fill the card and begin the next one, and the reversal leaves only the first
        // three stamps.
        story.open(3, of: 2, goal: 5, 1)
        story.stamp(3, of: 2, cups: 3, 1)
        story.stamp(3, of: 2, cups: 2, 2)
        story.open(4, of: 2, goal: 5, 2)
        story.stamp(4, of: 2, cups: 3, 2)
        takeBack(3, from: 4, of: 2, 2)
        discard(4, of: 2, 2)
        takeBack(2, from: 3, of: 2, 2)
        // A card that was never stamped was discarded, and a card that was emptied is stamped again.
        story.open(5, of: 3, goal: 5, 3)
        discard(5, of: 3, 3)
        story.stamp(1, of: 1, 4)
        let found = try await report(story, 0...10, idle: 30).abandonment
        #expect(found.cards == 3 && found.full == 0 && found.idle == 0 && found.discarded == 1)
        #expect(found.steps.map(\.reached) == [3, 2, 1, 1] && found.steps.map(\.discarded) == [1, 0, 0, 0])
        #expect(try await report(story, 0...90, idle: 30).abandonment.steps.map(\.idle) == [0, 1, 0, 1])
    }

    @Test("A reversal clears the redemption in a card's row and leaves the card full")
    func reversal() async throws {
        var story = Story()
        story.begin(1, of: 1, goal: 1, 0)
        let card = (CardID(1), RedemptionID(9), AccountID(1))
        story.tell(
            .cardRedeemed(
                CardRedeemed(redemption: card.1, card: card.0, campaign: Self.campaign, shop: Self.shop, holder: card.2)), 1)
        let reversed = RedemptionReversed(
            redemption: card.1, card: card.0, campaign: Self.campaign, shop: Self.shop, holder: card.2, reason: "?")
        for isBack in [false, true] {
            if isBack { story.tell(.redemptionReversed(reversed), 2) }
            let open = try OpenData(TestData())
            #expect(try await open.append(story.facts))
            let row = try open.models.journeys.card(card.0, of: Self.shop)
            #expect((row?.redeemedAt == nil) == isBack && row?.filledAt != nil)
            try open.close()
        }
    }

    @Test("A campaign's weeks are compared with the weeks before and after it")
    func campaignWeeks() async throws {
        var story = Story()
        story.publish(7, 20..<30)
        // Customer 1 comes every day from day 0, customer 2 every other day from day 10, and customer 3 only on day 25.
        story.open(1, of: 1, goal: 50, 0)
        for day in 0..<50 { story.stamp(1, of: 1, day) }
        story.open(2, of: 2, goal: 50, 10)
        for day in stride(from: 10, to: 50, by: 2) { story.stamp(2, of: 2, day) }
        story.begin(3, of: 3, 25)
        let found = try #require(try await report(story, 0...35, campaign: 7).effect)
        #expect(found.firstDay == Self.monday + 20 && found.lastDay == Self.monday + 29)
        func figures(_ phase: CampaignEffect.Phase) -> [[Int]] {
            phase.weeks.map { [$0.firstDay - Self.monday, $0.days, $0.visits, $0.activeCustomers, $0.newCustomers] }
        }
        #expect(figures(found.before) == [[6, 7, 9, 2, 1], [13, 7, 10, 2, 0]])
        #expect(figures(found.during) == [[20, 7, 12, 3, 1], [27, 3, 4, 2, 0]])
        #expect(figures(found.after) == [[30, 6, 9, 2, 0]])
        #expect(found.before.visitsPerWeek == 9.5 && found.during.visitsPerWeek == 11.2)
        #expect(abs((found.change ?? 0) - (11.2 / 9.5 - 1)) < 1e-12)
        #expect(try await report(story, 0...35, campaign: 8).effect == nil, "the shop has no such campaign")
        let running = try #require(try await report(story, 0...22, campaign: 7).effect)
        #expect(figures(running.during) == [[20, 3, 5, 2, 0]] && running.after.weeks.isEmpty && running.lastingChange == nil)
        let coming = try #require(try await report(story, 0...15, campaign: 7).effect)
        #expect(figures(coming.before).map { $0[1] } == [7, 3] && coming.during.weeks.isEmpty && coming.change == nil)
    }

    @Test("An edit moves a campaign's first and last day, and an early end moves its last day")
    func campaignDays() async throws {
        var story = Story()
        story.publish(7, 20..<30)
        story.begin(1, of: 1, 0)
        func midnight(_ day: Int) -> Instant { Instant(microseconds: Int64(Self.monday + day) * 86_400_000_000) }
        let edit = CampaignEdited(
            campaign: CampaignID(7), shop: Self.shop,
            terms: CampaignTerms(
                title: "pie", details: "", goal: 0, reward: "", startsAt: midnight(10), endsAt: midnight(40), image: nil, caps: .none))
        story.tell(.campaignEdited(edit), 5)
        let edited = try #require(try await report(story, 0...60, campaign: 7).effect)
        #expect(edited.firstDay == Self.monday + 10 && edited.lastDay == Self.monday + 39)
        story.tell(.campaignEnded(CampaignEnded(campaign: CampaignID(7), shop: Self.shop)), 15, 18)
        let ended = try #require(try await report(story, 0...60, campaign: 7).effect)
        #expect(ended.firstDay == Self.monday + 10 && ended.lastDay == Self.monday + 15 && ended.during.days == 6)
    }

    @Test("A report counts only the visits and cards of its own shop")
    func ownShop() async throws {
        var story = Story()
        story.begin(1, of: 1, 3)
        for (day, shop) in [(0, ShopID(0)), (2, ShopID(2))] {
            story.open(shop.value + 20, of: 1, at: shop, day)
            story.stamp(shop.value + 20, of: 1, at: shop, day)
        }
        let found = try await report(story, 0...6)
        #expect(found.retention.visits == 1 && found.abandonment.cards == 1)
    }

    @Test("The number of weeks in a report has a lower and an upper bound, also for an endless campaign")
    func weeksAreBounded() {
        let period = ReportPeriod(days: 0...1) { Int($0.number / 96) }
        #expect(JourneyQuery(period: period, today: 1, weeks: 0).weeks == 1)
        #expect(JourneyQuery(period: period, today: 1, weeks: 1_000).weeks == ReadModelLimits.effectWeeksMax)
        let campaign = CampaignTimes(
            startsAt: Instant(microseconds: 0), endsAt: Instant(microseconds: .max), endedAt: nil, version: 1)
        let query = JourneyQuery(period: period, today: 1_000_000, campaign: CampaignID(1))
        let effect = JourneyMaking(query, campaign).report().effect
        #expect(effect?.during.weeks.count == ReadModelLimits.effectRunningWeeksMax && effect?.after.weeks.isEmpty == true)
    }

    @Test("A card's or campaign's row is read as it was written, and a row of another kind or length is rejected")
    func roundTrip() {
        var card = CardJourney(campaign: CampaignID(1), holder: AccountID(2), goal: 3, openedAt: Instant(microseconds: -5))
        var row: [UInt8] = []
        for time in [1, 2] as [Int64] {
            card.encode(into: &row)
            #expect(CardJourney(row.span) == card && CardJourney.text(row.span) != nil)
            card.stamp(2, at: Instant(microseconds: time))
        }
        let times = CampaignTimes(startsAt: Instant(microseconds: 1), endsAt: Instant(microseconds: 2), endedAt: nil, version: 3)
        times.encode(into: &row)
        #expect(
            CampaignTimes(row.span) == times && CardJourney(row.span) == nil && CampaignTimes.text(row.span)?.contains("position 3") == true
        )
        row.removeLast()
        #expect(CampaignTimes(row.span) == nil)
    }
}
