import EventLog
import Histories
import Loyalty
import Seeds
import Testing

@testable import Projections
@testable import ReadModels

/// The number of rows that a report on customers and cards reads.
@Suite(.timeLimit(.minutes(15))) struct JourneyBoundTests {
    private static let shop = ShopID(2)
    private static let campaign = CampaignID(5)

    /// A history in which each customer has one card at each of three shops. The cards are stamped in given quarter hours, and the second
    /// shop has a promotion.
    private struct Town {
        private(set) var facts: [Fact] = []
        private(set) var visits: [ShopVisit] = []

        /// - Parameter quarters: for each customer, the visits, as quarter hours since 1970.
        init(_ quarters: [[Int64]], promotion: Range<Int64>) {
            let promoted = CampaignPublished(
                campaign: campaign, shop: shop, kind: .promotion,
                terms: CampaignTerms(
                    title: "cake", details: "", goal: 0, reward: "", startsAt: Quarter(number: promotion.lowerBound).start,
                    endsAt: Quarter(number: promotion.upperBound).start))
            tell(.campaignPublished(promoted), 0)
            for (number, quarters) in quarters.enumerated() {
                let holder = AccountID(UInt128(number) + 1)
                for shop in [ShopID(1), JourneyBoundTests.shop, ShopID(3)] {
                    let card = CardID(holder.value << 8 | shop.value)
                    let opened = CardOpened(card: card, campaign: campaign, shop: shop, holder: holder, goal: 5, reward: "tea")
                    tell(.cardOpened(opened), quarters[0])
                    for quarter in quarters {
                        let code = CodeID(UInt128(facts.count))
                        tell(
                            .cardStamped(CardStamped(card: card, code: code, campaign: campaign, shop: shop, holder: holder, stamps: 1)),
                            quarter)
                    }
                }
                visits += Set(quarters).sorted().map { quarter in
                    ShopVisit(account: holder, quarter: Quarter(number: quarter), stamps: quarters.count { $0 == quarter })
                }
            }
        }

        private mutating func tell(_ event: LoyaltyEvent, _ quarter: Int64) {
            let position = UInt64(facts.count) + 1
            facts.append(Fact(position: position, time: Quarter(number: quarter).start, actor: AccountID(9_999), event: event))
        }
    }

    private static func query(_ days: ClosedRange<Int>, campaign: CampaignID? = nil) throws -> JourneyQuery {
        let zone = try #require(ReportZone(name: "Pacific/Auckland"))
        return JourneyQuery(period: zone.period(days), today: days.upperBound, campaign: campaign, weeks: 2)
    }

    @Test("A report reads the visits of its days and some hours around, and at most three more per customer, however many there are")
    func rowsOfThePeriod() async throws {
        let town = Town(Array(repeating: (0..<3_000).map { 2_000_000 + $0 * 10 }, count: 3), promotion: 0..<1)
        let open = try OpenData(TestData())
        #expect(try await open.append(town.facts))
        // A day has 96 quarter hours, and a customer visits in every tenth of them. So a week has fewer than eighty visits of a customer.
        for (firstDay, visits) in [(20_900, 80), (20_833, 80), (30_000, 0), (1_000, 0)] {
            let (report, rows) = try open.models.journeys.countedReport(of: Self.shop, try Self.query(firstDay...(firstDay + 6)))
            #expect(rows <= 3 * (visits + 16 + 3) + 3, "\(rows) rows of \(town.visits.count)")
            #expect((report.retention.visits > 0) == (visits > 0))
        }
        let whole = try open.models.journeys.countedReport(of: Self.shop, try Self.query(20_700...21_200))
        #expect(whole.rows == town.visits.count + 3 && whole.report.retention.visits == town.visits.count)
        try open.close()
    }

    @Test("A report that exceeds its row limit fails with the error tooMuch and reads no further")
    func rowsAtMost() async throws {
        let town = Town(Array(repeating: (0..<40).map { 2_000_000 + $0 * 10 }, count: 2), promotion: 0..<1)
        let open = try OpenData(TestData())
        #expect(try await open.append(town.facts))
        let query = try Self.query(20_700...21_200)
        let counted = try open.models.journeys.countedReport(of: Self.shop, query, rowsMax: 82)
        #expect(counted.rows == 82)
        let error = #expect(throws: ReadModelError.self) {
            _ = try open.models.journeys.countedReport(of: Self.shop, query, rowsMax: 81)
        }
        #expect(error?.code == .tooMuch && error?.description.contains("shorter period") == true)
        try open.close()
    }

    @Test("A report equals one computed from all visits", arguments: 0..<6)
    func sameAnswer(_ round: Int) async throws {
        var random = SeededRandom.announced("journeys \(round)")
        let customers = (0..<12).map { _ in (0..<random.int(1...60)).map { _ in Int64(random.int(1_900_000...1_950_000)) } }
        let start = Int64(random.int(1_890_000...1_950_000))
        let town = Town(customers, promotion: start..<(start + Int64(random.int(1...5_000))))
        let open = try OpenData(TestData())
        #expect(try await open.append(town.facts))
        for _ in 0..<20 {
            let firstDay = random.int(19_700...20_320)
            let query = try Self.query(firstDay...(firstDay + random.int(0...200)), campaign: random.int(0...1) == 0 ? Self.campaign : nil)
            let key = RowKey(Self.shop.value, and: Self.campaign.value)
            let times = try open.models.journeys.store.reading { (snapshot) throws(ReadModelError) in
                try open.models.journeys.store.value(open.models.journeys.campaigns, key, in: snapshot) { CampaignTimes($0) } ?? nil
            }
            var making = JourneyMaking(query, query.campaign == nil ? nil : times)
            for visit in town.visits { making.add(visit) }
            let expected = making.report()
            let found = try open.models.journeys.report(of: Self.shop, query)
            #expect(found.retention == expected.retention && found.effect == expected.effect)
            #expect((found.effect != nil) == (query.campaign != nil))
        }
        try open.close()
    }
}
