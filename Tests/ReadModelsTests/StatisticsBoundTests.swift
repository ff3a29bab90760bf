import Histories
import Loyalty
import Projections
import Testing

@testable import ReadModels

/// The number of rows that a report on days reads.
@Suite(.timeLimit(.minutes(15))) struct StatisticsBoundTests {
    /// Midnight of 2024-03-04, a Monday, in days since 1970.
    private static let monday = 19_786
    private static let shop = ShopID(1)

    /// A history of cards, each of which is opened and stamped at one shop.
    private struct Town {
        private(set) var facts: [Fact] = []

        /// Opens a card of a customer and stamps it in some quarters of an hour since 1970.
        mutating func visit(_ shop: ShopID, by holder: AccountID, in quarters: some Sequence<Int>) {
            let card = CardID(holder.value << 8 | shop.value)
            for (number, quarter) in quarters.enumerated() {
                if number == 0 {
                    let opened = CardOpened(card: card, campaign: CampaignID(5), shop: shop, holder: holder, goal: 5, reward: "tea")
                    tell(.cardOpened(opened), quarter)
                }
                let code = CodeID(UInt128(facts.count))
                tell(
                    .cardStamped(CardStamped(card: card, code: code, campaign: CampaignID(5), shop: shop, holder: holder, stamps: 1)),
                    quarter)
            }
        }

        private mutating func tell(_ event: LoyaltyEvent, _ quarter: Int) {
            let time = Quarter(number: Int64(quarter)).start
            facts.append(Fact(position: UInt64(facts.count) + 1, time: time, actor: AccountID(9_999), event: event))
        }
    }

    @Test("A report reads the rows of its days and some hours around, and one more per customer, however many there are")
    func rowsOfThePeriod() async throws {
        var town = Town()
        for customer in 1...3 as ClosedRange<UInt128> {
            for shop in [ShopID(0), Self.shop, ShopID(2)] {
                town.visit(shop, by: AccountID(customer), in: stride(from: Self.monday * 96, to: Self.monday * 96 + 30_000, by: 10))
            }
        }
        let open = try OpenData(TestData())
        #expect(try await open.append(town.facts))
        // A week with 16 hours on both sides has 801 quarters of an hour, and a customer comes in every tenth of them.
        for first in [Self.monday + 100, Self.monday, Self.monday + 400] {
            let found = try open.models.statistics.countedReport(of: Self.shop, ReportZone.utc.period(first...(first + 6)))
            #expect(found.rows <= 3 * (81 + 1), "\(found.rows) rows")
            #expect((found.report.stamps > 0) == (first < Self.monday + 400))
        }
        let whole = try open.models.statistics.countedReport(
            of: Self.shop, ReportZone.utc.period(Self.monday...(Self.monday + 400)))
        #expect(whole.rows == 3 * (3_000 + 1) && whole.report.stamps == 9_000)
        try open.close()
    }

    @Test("A report that exceeds its row limit fails with the error tooMuch and reads no further")
    func rowsAtMost() async throws {
        var town = Town()
        for customer in 1...2 as ClosedRange<UInt128> {
            town.visit(Self.shop, by: AccountID(customer), in: (0..<40).map { Self.monday * 96 + $0 })
        }
        let open = try OpenData(TestData())
        #expect(try await open.append(town.facts))
        let period = ReportZone.utc.period(Self.monday...Self.monday)
        #expect(try open.models.statistics.countedReport(of: Self.shop, period, rowsMax: 82).rows == 82)
        for rowsMax in [0, 40, 81] {
            let error = #expect(throws: ReadModelError.self) {
                _ = try open.models.statistics.countedReport(of: Self.shop, period, rowsMax: rowsMax)
            }
            #expect(error?.code == .tooMuch && error?.description.contains("shorter period") == true)
        }
        try open.close()
    }

    @Test("A report on several shops has a row limit for each shop, and reads no customer of one shop at another that few visited")
    func rowsOfABrand() async throws {
        let (shops, period) = ([ShopID(1), ShopID(2), ShopID(3)], ReportZone.utc.period(Self.monday...(Self.monday + 13)))
        var town = Town()
        for customer in 1...200 as ClosedRange<UInt128> {
            town.visit(shops[0], by: AccountID(customer), in: [(Self.monday + 7) * 96])
        }
        town.visit(shops[1], by: AccountID(100), in: [Self.monday * 96])
        let open = try OpenData(TestData())
        #expect(try await open.append(town.facts))
        let statistics = open.models.statistics
        var (brand, rows) = (BrandMaking(period, rowsMax: 400), [Int]())
        for shop in shops {
            try statistics.add(shop, to: &brand)
            rows.append(brand.rows)
        }
        for shop in shops {
            try statistics.addFirsts(at: shop, to: &brand)
            rows.append(brand.rows)
        }
        // The cards and first visits of each shop, and for all shops together 200 first visits at the first shop, one at the second, and at
        // the second and the third the row at which the reading ends.
        #expect(rows == [200 + 200, 1 + 1, 0, 200, 1 + 1, 1])
        #expect(brand.report.together.activeCustomers == 200 && brand.report.parts.map(\.report.activeCustomers) == [200, 1, 0])
        #expect(brand.report.together.cohorts.map(\.monday) == [Self.monday, Self.monday + 7])
        #expect(brand.report.together.cohorts.map(\.customers) == [1, 199])
        for rowsMax in [0, 199, 399] {
            let error = #expect(throws: ReadModelError.self) {
                var brand = BrandMaking(period, rowsMax: rowsMax)
                for shop in shops { try statistics.add(shop, to: &brand) }
            }
            #expect(error?.code == .tooMuch)
        }
        try open.close()
    }

    @Test("A report on several shops bounds the cards and the days of customers that it holds, and a customer's day at two shops is one")
    func entriesOfABrand() async throws {
        let (shops, period) = ([ShopID(1), ShopID(2)], ReportZone.utc.period(Self.monday...(Self.monday + 13)))
        var town = Town()
        for customer in 1...20 as ClosedRange<UInt128> {
            for shop in shops { town.visit(shop, by: AccountID(customer), in: [Self.monday * 96, (Self.monday + 1) * 96]) }
        }
        let open = try OpenData(TestData())
        #expect(try await open.append(town.facts))
        // Each customer has a card at each shop, and two days.
        let entries = 20 * (2 + 2)
        var brand = BrandMaking(period, rowsMax: 1_000, entriesMax: entries)
        for shop in shops { try open.models.statistics.add(shop, to: &brand) }
        for shop in shops { try open.models.statistics.addFirsts(at: shop, to: &brand) }
        #expect(brand.report.together.activeCustomers == 20 && brand.report.together.returningCustomers == 20)
        for entriesMax in [0, 59, entries - 1] {
            let error = #expect(throws: ReadModelError.self) {
                var brand = BrandMaking(period, rowsMax: 1_000, entriesMax: entriesMax)
                for shop in shops { try open.models.statistics.add(shop, to: &brand) }
            }
            #expect(error?.code == .tooMuch && error?.description.contains("shorter period") == true)
        }
        try open.close()
    }
}
