import EventLog
import Histories
import Loyalty
import Testing

@testable import ReadModels

/// Statistics of a shop's days, on a history written by hand.
@Suite(.timeLimit(.minutes(15))) struct StatisticsTests {
    /// Midnight of 2024-03-04, a Monday, in days since 1970.
    private static let monday = 19_786
    private static let shop = ShopID(1)
    private static let owner = AccountID(10)
    private static let other = AccountID(11)

    private static func time(_ day: Int, _ hour: Int = 12) -> Instant {
        Instant(microseconds: (Int64(day) * 24 + Int64(hour)) * 3_600_000_000)
    }

    /// A history to which events are added with their times and actors. Positions are consecutive.
    private struct Story {
        private(set) var facts: [Fact] = []
        private var codes: UInt128 = 0

        mutating func tell(_ event: LoyaltyEvent, by actor: AccountID, at time: Instant) {
            facts.append(Fact(position: UInt64(facts.count) + 1, time: time, actor: actor, event: event))
        }

        mutating func open(_ card: CardID, of holder: AccountID, goal: Int, at time: Instant) {
            let event = CardOpened(card: card, campaign: CampaignID(5), shop: shop, holder: holder, goal: goal, reward: "tea")
            tell(.cardOpened(event), by: holder, at: time)
        }

        mutating func issue(_ stamps: Int = 1, by staff: AccountID, at time: Instant) {
            codes += 1
            let code = CodeIssued(
                code: CodeID(codes), campaign: CampaignID(5), shop: shop, secret: Secret(codes), attempt: 0, stamps: stamps,
                expiresAt: time.advanced(bySeconds: 600))
            tell(.codeIssued(code), by: staff, at: time)
        }

        mutating func stamp(_ stamps: Int, on card: CardID, of holder: AccountID, by staff: AccountID = owner, at time: Instant) {
            issue(stamps, by: staff, at: time)
            let stamped = CardStamped(
                card: card, code: CodeID(codes), campaign: CampaignID(5), shop: shop, holder: holder, stamps: stamps)
            tell(.cardStamped(stamped), by: holder, at: time)
        }

        mutating func redeem(_ card: CardID, of holder: AccountID, by staff: AccountID = owner, at time: Instant) {
            let event = CardRedeemed(redemption: RedemptionID(card.value), card: card, campaign: CampaignID(5), shop: shop, holder: holder)
            tell(.cardRedeemed(event), by: staff, at: time)
        }

        mutating func reverse(_ card: CardID, of holder: AccountID, by staff: AccountID = owner, at time: Instant) {
            let event = RedemptionReversed(
                redemption: RedemptionID(card.value), card: card, campaign: CampaignID(5), shop: shop, holder: holder, reason: "wrong card")
            tell(.redemptionReversed(event), by: staff, at: time)
        }

        /// Takes the stamps of the last code back.
        mutating func takeBack(_ stamps: Int, from card: CardID, of holder: AccountID, at time: Instant) {
            let event = StampReversed(
                card: card, code: CodeID(codes), campaign: CampaignID(5), shop: shop, holder: holder, stamps: stamps, reason: "refund")
            tell(.stampReversed(event), by: owner, at: time)
        }

        mutating func adjust(_ card: CardID, of holder: AccountID, _ stamps: Int, at time: Instant) {
            let event = CardAdjusted(card: card, campaign: CampaignID(5), shop: shop, holder: holder, stamps: stamps, reason: "?")
            tell(.cardAdjusted(event), by: other, at: time)
        }
    }

    private func report(_ story: Story, _ days: ClosedRange<Int>, hours: Int64 = 0) async throws -> ShopReport {
        let open = try OpenData(TestData())
        // The events are appended in pieces, so each batch finds the state that earlier batches left.
        for start in stride(from: 0, to: story.facts.count, by: 3) {
            #expect(try await open.append(story.facts[start..<min(start + 3, story.facts.count)]))
        }
        let period = ReportPeriod(days: days) { Int(($0.number + 4 * hours) / 96) }
        let report = try open.models.statistics.report(of: Self.shop, period)
        try open.close()
        return report
    }

    @Test("A day's figures count the events of that day, and a member's figures the events by that member")
    func ownEvents() async throws {
        var story = Story()
        let (one, two) = (AccountID(20), AccountID(21))
        story.open(CardID(1), of: one, goal: 3, at: Self.time(Self.monday))
        story.stamp(1, on: CardID(1), of: one, at: Self.time(Self.monday))
        story.open(CardID(2), of: two, goal: 2, at: Self.time(Self.monday, 20))
        story.stamp(2, on: CardID(2), of: two, by: Self.other, at: Self.time(Self.monday, 20))
        story.stamp(2, on: CardID(1), of: one, at: Self.time(Self.monday + 1))
        story.redeem(CardID(2), of: two, by: Self.other, at: Self.time(Self.monday + 1))
        let report = try await report(story, Self.monday...(Self.monday + 2))
        #expect(report.days.map(\.codes) == [2, 1, 0])
        #expect(report.days.map(\.stamps) == [3, 2, 0])
        #expect(report.days.map(\.newCards) == [2, 0, 0])
        #expect(report.days.map(\.activeCustomers) == [2, 2, 0])
        #expect(report.days.map(\.redemptions) == [0, 1, 0])
        #expect(report.filled == 2 && report.redemptionRate == 0.5)
        #expect(report.activeCustomers == 2 && report.repeatVisitRate == 1)
        #expect(report.staff[Self.owner] == StaffActivity(codes: 2, stamps: 3))
        #expect(report.staff[Self.other] == StaffActivity(codes: 1, stamps: 2, redeemed: 1))
    }

    @Test("An adjustment is no visit and no stamp of the day, but counts towards the goal")
    func adjustment() async throws {
        var story = Story()
        let holder = AccountID(20)
        story.open(CardID(1), of: holder, goal: 3, at: Self.time(Self.monday))
        story.stamp(1, on: CardID(1), of: holder, at: Self.time(Self.monday))
        story.adjust(CardID(1), of: holder, 1, at: Self.time(Self.monday + 1))
        story.stamp(1, on: CardID(1), of: holder, at: Self.time(Self.monday + 2))
        story.adjust(CardID(1), of: holder, -1, at: Self.time(Self.monday + 3))
        story.stamp(1, on: CardID(1), of: holder, at: Self.time(Self.monday + 4))
        let report = try await report(story, Self.monday...(Self.monday + 4))
        #expect(report.days.map(\.stamps) == [1, 0, 1, 0, 1])
        #expect(report.days.map(\.activeCustomers) == [1, 0, 1, 0, 1])
        #expect(report.filled == 2, "the third stamp filled the card, and after one was taken off the next stamp filled it again")
    }

    @Test("Stamps that were taken back stay counted on their day, are no visit, and let the card become full again")
    func takenBack() async throws {
        var story = Story()
        let holder = AccountID(20)
        story.open(CardID(1), of: holder, goal: 2, at: Self.time(Self.monday))
        story.stamp(2, on: CardID(1), of: holder, at: Self.time(Self.monday))
        story.takeBack(2, from: CardID(1), of: holder, at: Self.time(Self.monday + 1))
        story.stamp(2, on: CardID(1), of: holder, at: Self.time(Self.monday + 2))
        let report = try await report(story, Self.monday...(Self.monday + 2))
        #expect(report.days.map(\.stamps) == [2, 0, 2] && report.days.map(\.activeCustomers) == [1, 0, 1])
        #expect(report.filled == 2 && report.staff[Self.owner] == StaffActivity(codes: 2, stamps: 4))
    }

    @Test("A coupon is a new card that is full at once, and its claim is a visit")
    func coupons() async throws {
        var story = Story()
        story.open(CardID(1), of: AccountID(20), goal: 0, at: Self.time(Self.monday))
        story.open(CardID(2), of: AccountID(21), goal: 0, at: Self.time(Self.monday))
        story.redeem(CardID(1), of: AccountID(20), at: Self.time(Self.monday + 1))
        let report = try await report(story, Self.monday...(Self.monday + 1))
        #expect(report.days.map(\.newCards) == [2, 0] && report.days.map(\.redemptions) == [0, 1])
        #expect(report.days.map(\.activeCustomers) == [2, 1] && report.days.map(\.stamps) == [0, 0])
        #expect(report.filled == 2 && report.redemptionRate == 0.5)
    }

    @Test("A card filled by an adjustment counts as full, without a visit on that day")
    func filledByAdjustment() async throws {
        var story = Story()
        let holder = AccountID(20)
        story.open(CardID(1), of: holder, goal: 3, at: Self.time(Self.monday))
        story.stamp(1, on: CardID(1), of: holder, at: Self.time(Self.monday))
        story.adjust(CardID(1), of: holder, 2, at: Self.time(Self.monday + 1))
        story.redeem(CardID(1), of: holder, at: Self.time(Self.monday + 2))
        let report = try await report(story, Self.monday...(Self.monday + 2))
        #expect(report.filled == 1 && report.redemptionRate == 1)
        #expect(report.days.map(\.activeCustomers) == [1, 0, 1])
        #expect(report.days.map(\.stamps) == [1, 0, 0])
    }

    @Test("A reversal is no visit, and cancels one reward in the redemption rate")
    func reversal() async throws {
        var story = Story()
        let holder = AccountID(20)
        story.open(CardID(1), of: holder, goal: 1, at: Self.time(Self.monday))
        story.stamp(1, on: CardID(1), of: holder, at: Self.time(Self.monday))
        story.redeem(CardID(1), of: holder, at: Self.time(Self.monday))
        story.reverse(CardID(1), of: holder, by: Self.other, at: Self.time(Self.monday + 1))
        story.redeem(CardID(1), of: holder, at: Self.time(Self.monday + 2))
        let report = try await report(story, Self.monday...(Self.monday + 2))
        #expect(report.days.map(\.redemptions) == [1, 0, 1])
        #expect(report.days.map(\.reversals) == [0, 1, 0])
        #expect(report.days.map(\.activeCustomers) == [1, 0, 1])
        #expect(report.filled == 1 && report.redemptionRate == 1, "the reward was handed out twice and taken back once")
        #expect(report.staff[Self.owner] == StaffActivity(codes: 1, stamps: 1, redeemed: 2))
        #expect(report.staff[Self.other] == StaffActivity(reversed: 1))
        let later = try await self.report(story, (Self.monday + 1)...(Self.monday + 1))
        #expect(later.redemptionRate == nil && later.cohorts.isEmpty && later.concentratedCards.isEmpty)
    }

    @Test("A reversal before a customer's first visit does not count as the first visit")
    func earlyReversal() async throws {
        var story = Story()
        let holder = AccountID(20)
        story.open(CardID(1), of: holder, goal: 1, at: Self.time(Self.monday))
        story.stamp(1, on: CardID(1), of: holder, at: Self.time(Self.monday))
        story.redeem(CardID(1), of: holder, at: Self.time(Self.monday))
        // The clock was set back between the redemption and its reversal.
        story.reverse(CardID(1), of: holder, at: Self.time(Self.monday - 7))
        let report = try await report(story, (Self.monday - 7)...(Self.monday + 6))
        #expect(report.cohorts.map(\.monday) == [Self.monday])
        #expect(report.reversals == 1 && report.days.map(\.activeCustomers).reduce(0, +) == 1)
    }

    @Test("Events are counted on the day that they have in the report's time zone")
    func timeZone() async throws {
        var story = Story()
        story.open(CardID(1), of: AccountID(20), goal: 3, at: Self.time(Self.monday, 17))
        #expect(try await report(story, Self.monday...(Self.monday + 1)).days.map(\.newCards) == [1, 0])
        #expect(try await report(story, Self.monday...(Self.monday + 1), hours: 8).days.map(\.newCards) == [0, 1])
        #expect(try await report(story, Self.monday...(Self.monday + 1), hours: -11).days.map(\.newCards) == [1, 0])
    }

    @Test(
        "A day of 23 or 25 hours has all of its quarters of an hour, and days, members of staff and reports on single days agree",
        arguments: [(19_792, 92), (20_030, 100)])
    func changesOfTheClock(_ day: Int, _ quarters: Int) async throws {
        let zone = try #require(ReportZone(name: "America/New_York"))
        var story = Story()
        let first = Int64(day - 1) * 96
        story.open(CardID(1), of: AccountID(20), goal: 50, at: Quarter(number: first).start)
        for quarter in first..<(first + 5 * 96) {
            story.stamp(1, on: CardID(1), of: AccountID(20), at: Quarter(number: quarter).start)
        }
        let open = try OpenData(TestData())
        #expect(try await open.append(story.facts))
        let days = (day - 1)...(day + 1)
        let report = try open.models.statistics.report(of: Self.shop, zone.period(days))
        #expect(report.days.map(\.stamps) == [96, quarters, 96] && report.days.map(\.codes) == [96, quarters, 96])
        #expect(report.staff == [Self.owner: StaffActivity(codes: report.codes, stamps: report.stamps)])
        let single = try days.map { try open.models.statistics.report(of: Self.shop, zone.period($0...$0)).stamps }
        #expect(single == [96, quarters, 96])
        try open.close()
    }

    @Test("A customer's cohort follows the first visit, even if that visit is imported later")
    func firstVisit() async throws {
        var story = Story()
        let week = 7
        for (customer, weeks) in [(1, [0, 1, 3]), (2, [0, 3]), (3, [1]), (4, [2, 1])] as [(UInt128, [Int])] {
            story.open(CardID(customer), of: AccountID(customer), goal: 50, at: Self.time(Self.monday + week * weeks[0]))
            for number in weeks {
                story.stamp(1, on: CardID(customer), of: AccountID(customer), at: Self.time(Self.monday + week * number))
            }
        }
        // A late import adds a visit with an earlier time than all others.
        story.stamp(1, on: CardID(2), of: AccountID(2), at: Self.time(Self.monday - 30))
        let report = try await report(story, Self.monday...(Self.monday + 4 * week - 1))
        #expect(report.cohorts.map(\.monday) == [Self.monday, Self.monday + week])
        #expect(report.cohorts.map(\.customers) == [1, 2])
        #expect(report.cohorts.map(\.active) == [[1, 1, 0, 1], [2, 1, 0]])
        #expect(report.activeCustomers == 4 && report.returningCustomers == 3)
    }

    @Test("A card with an unlikely share of the stamps is reported, and a member with a likely share is not, whoever shows unused codes")
    func unlikelyShares() async throws {
        var story = Story()
        for customer in 1...40 as ClosedRange<UInt128> {
            story.open(CardID(customer), of: AccountID(customer), goal: 50, at: Self.time(Self.monday))
            let staff = [Self.owner, Self.other, AccountID(12), AccountID(13)][Int(customer % 4)]
            story.stamp(1, on: CardID(customer), of: AccountID(customer), by: staff, at: Self.time(Self.monday))
        }
        for _ in 0..<5 { story.stamp(10, on: CardID(7), of: AccountID(7), by: Self.other, at: Self.time(Self.monday)) }
        for staff in 14...17 as ClosedRange<UInt128> { story.issue(by: AccountID(staff), at: Self.time(Self.monday)) }
        let report = try await report(story, Self.monday...Self.monday)
        #expect(report.concentratedCards.map(\.thing) == [CardID(7)])
        #expect(report.concentratedCards.first?.stamps == 51 && report.concentratedCards.first?.share == 51.0 / 90)
        #expect(report.concentratedStaff.isEmpty, "60 of 90 stamps are less than three times the average of four members")
    }

    @Test("A shop's statistics do not count another shop's events")
    func separateShops() async throws {
        var story = Story()
        story.open(CardID(1), of: AccountID(20), goal: 3, at: Self.time(Self.monday))
        let elsewhere = CardOpened(
            card: CardID(2), campaign: CampaignID(5), shop: ShopID(2), holder: AccountID(20), goal: 3, reward: "tea")
        story.tell(.cardOpened(elsewhere), by: AccountID(20), at: Self.time(Self.monday))
        #expect(try await report(story, Self.monday...Self.monday).newCards == 1)
    }

    @Test(
        "A time's quarter hour is rounded down, and the keys of quarter hours have the order of time",
        arguments: [(0, 0), (899_999_999, 0), (900_000_000, 1), (-1, -1), (-900_000_000, -1), (-900_000_001, -2)] as [(Int64, Int64)])
    func quarterHours(_ microseconds: Int64, _ number: Int64) {
        let quarter = Quarter(of: Instant(microseconds: microseconds))
        #expect(quarter.number == number && Quarter(key: quarter.key) == quarter)
        #expect(quarter.key < Quarter(number: number + 1).key)
    }

    @Test("A week begins on Monday")
    func weeksBeginOnMonday() {
        #expect(ReportPeriod.monday(of: Self.monday) == Self.monday && ReportPeriod.monday(of: Self.monday + 6) == Self.monday)
        #expect(ReportPeriod.monday(of: Self.monday - 1) == Self.monday - 7)
        #expect(ReportPeriod.monday(of: 0) == -3 && ReportPeriod.monday(of: -4) == -10)
    }
}
