import EventLog
import Histories
import Loyalty
import Testing

@testable import LMDB
@testable import Projections
@testable import ReadModels

/// A shop's customers, for histories written by hand.
@Suite(.timeLimit(.minutes(15))) struct CustomersTests {
    /// 2024-03-04, a Monday, in days since 1970.
    static let monday = 19_786
    private static let shop = ShopID(1)
    /// Another shop of the same owner.
    private static let branch = ShopID(2)
    private static let campaign = CampaignID(5)

    /// A history to which events are added. Times are hours of UTC on days counted from `monday`; the first shop's zone is Auckland's.
    struct Story {
        private(set) var facts: [Fact] = []

        init() { for place in [shop, branch] { zone("Pacific/Auckland", at: place, -1) } }

        mutating func tell(_ event: LoyaltyEvent, _ day: Int, _ hour: Double = 0) {
            let time = Instant(microseconds: Int64((Double(monday + day) * 24 + hour) * 3_600_000_000))
            facts.append(Fact(position: UInt64(facts.count) + 1, time: time, actor: AccountID(10), event: event))
        }

        mutating func zone(_ name: String, at place: ShopID = shop, _ day: Int) {
            let contact = ShopContact(
                name: "Tea", phone: "+8613800138000", address: "", location: Coordinate(latitude: 31.2, longitude: 121.5))
            tell(
                .shopOpened(
                    ShopOpened(
                        shop: place, owner: AccountID(10), contact: .clear(contact), images: [], schedule: ShopSchedule(timeZone: name))),
                day)
        }

        mutating func open(_ card: UInt128, of holder: UInt128, goal: Int = 4, at place: ShopID = shop, _ day: Int) {
            tell(
                .cardOpened(
                    CardOpened(card: CardID(card), campaign: campaign, shop: place, holder: AccountID(holder), goal: goal, reward: "tea")),
                day)
        }

        /// Stamps a card, at its own shop or as a guest. The code has the number of the event.
        mutating func stamp(
            _ card: UInt128, of holder: UInt128, cups: Int = 1, at place: ShopID = shop, home: ShopID? = nil, code: UInt128? = nil,
            _ day: Int, _ hour: Double = 0
        ) {
            tell(
                .cardStamped(
                    CardStamped(
                        card: CardID(card), code: CodeID(code ?? UInt128(facts.count)), campaign: campaign, shop: place, home: home,
                        holder: AccountID(holder), stamps: cups)),
                day, hour)
        }

        mutating func takeBack(_ card: UInt128, of holder: UInt128, cups: Int, code: UInt128, at place: ShopID = shop, _ day: Int) {
            tell(
                .stampReversed(
                    StampReversed(
                        card: CardID(card), code: CodeID(code), campaign: campaign, shop: place, holder: AccountID(holder), stamps: cups,
                        reason: "")),
                day)
        }

        mutating func sell(_ place: ShopID, to account: UInt128, from owner: UInt128, _ day: Int) {
            tell(
                .shopTransferred(
                    ShopTransferred(
                        invitation: InvitationID(1), shop: place, account: AccountID(account), formerOwner: AccountID(owner))), day)
        }

        mutating func redeem(_ card: UInt128, of holder: UInt128, as redemption: UInt128, _ day: Int) {
            tell(
                .cardRedeemed(
                    CardRedeemed(
                        redemption: RedemptionID(redemption), card: CardID(card), campaign: campaign, shop: shop, holder: AccountID(holder))
                ), day)
        }

        /// Opens a card and stamps it once on each of the days.
        mutating func visit(_ holder: UInt128, goal: Int = 50, on days: [Int]) {
            open(holder, of: holder, goal: goal, days[0])
            for day in days { stamp(holder, of: holder, day) }
        }
    }

    /// The model after a story, whose events are appended in pieces, so that each batch finds what earlier ones left.
    private func told(_ story: Story, _ body: (Customers) throws -> Void) async throws {
        let open = try OpenData(TestData())
        for start in stride(from: 0, to: story.facts.count, by: 3) {
            #expect(try await open.append(story.facts[start..<min(start + 3, story.facts.count)]))
        }
        try body(open.models.customers)
        try open.close()
    }

    private func holders(_ model: Customers, _ segment: CustomerSegment?, _ day: Int, at shop: ShopID = shop) throws -> [UInt128] {
        try model.page(of: shop, CustomerList(segment: segment), today: Self.monday + day, limit: 100).customers.map(\.account.value)
    }

    private func counts(_ model: Customers, _ day: Int) throws -> CustomerCounts {
        try model.page(of: Self.shop, CustomerList(), today: Self.monday + day).counts
    }

    @Test("A customer lapses after 21 days without a visit, or after twice the usual pause if that is longer, and not a day earlier")
    func lapse() async throws {
        var story = Story()
        story.visit(1, on: [0])
        story.visit(2, on: [0, 1, 2, 3])
        story.visit(3, on: [0, 30])
        story.visit(4, on: [0, 20, 31])
        story.visit(5, on: [0, 300])
        try await told(story) { (model) throws in
            for (holder, lapses) in [(1, 21), (2, 24), (3, 30 + 60), (4, 31 + 31), (5, 300 + 365)] as [(UInt128, Int)] {
                #expect(try !holders(model, .lapsed, lapses - 1).contains(holder))
                #expect(try holders(model, .lapsed, lapses).contains(holder))
            }
            #expect(try counts(model, 20).lapsed == 0 && counts(model, 21).lapsed == 1 && counts(model, 24).lapsed == 2)
            #expect(try counts(model, 664).lapsed == 4 && counts(model, 665).lapsed == 5)
        }
    }

    @Test("A customer is new for 30 days, then regular after three visits, and never in two of the three segments")
    func states() async throws {
        var story = Story()
        story.visit(1, on: [0, 9, 18])
        story.visit(2, on: [0, 18])
        story.visit(3, on: [0])
        try await told(story) { (model) throws in
            #expect(try holders(model, .new, 18) == [2, 1, 3])
            #expect(try holders(model, .new, 29) == [2, 1] && holders(model, .lapsed, 29) == [3])
            #expect(try holders(model, .new, 30).isEmpty && holders(model, .regular, 30) == [1] && holders(model, nil, 30) == [2, 1, 3])
            #expect(try holders(model, .regular, 39).isEmpty && holders(model, .lapsed, 39) == [1, 3])
            for day in 0...60 {
                let counts = try counts(model, day)
                let listed = try [CustomerSegment.new, .regular, .lapsed].map { try holders(model, $0, day).count }
                #expect(listed == [counts.new, counts.regular, counts.lapsed] && counts.all == 3 && listed.reduce(0, +) <= 3)
            }
        }
    }

    @Test("The last page of a segment has no next, although customers outside of the segment follow")
    func lastPage() async throws {
        var story = Story()
        story.visit(1, on: [0])
        story.visit(2, on: [40])
        try await told(story) { (model) throws in
            func page(_ segment: CustomerSegment?) throws -> CustomerPage {
                try model.page(of: Self.shop, CustomerList(segment: segment), today: Self.monday + 50, limit: 1)
            }
            #expect(try page(.new).customers.map(\.account) == [AccountID(2)] && page(.new).next == nil && page(nil).next != nil)
        }
    }

    @Test("A visit is a day in the shop's zone at the time of the event")
    func zones() async throws {
        var story = Story()
        story.open(1, of: 1, goal: 50, 0)
        // In Auckland, 13 hours ahead, a day begins at 11:00 UTC.
        for (day, hour) in [(0, 10.9), (0, 11), (1, 10.9)] { story.stamp(1, of: 1, day, hour) }
        story.zone("Asia/Shanghai", 1)
        for (day, hour) in [(2, 15.9), (2, 16)] { story.stamp(1, of: 1, day, hour) }
        try await told(story) { (model) throws in
            let row = try #require(try model.customer(AccountID(1), of: Self.shop))
            #expect(row.visits == 4 && row.firstDay == Self.monday && row.lastDay == Self.monday + 3)
            let days = try model.details(of: AccountID(1), at: Self.shop, cardsMax: 9, visitsMax: 9).visits
            #expect(days.map { $0 - Self.monday } == [3, 2, 1, 0])
        }
    }

    @Test("A visit whose stamps were all taken back is none, and a part does not take it back")
    func reversed() async throws {
        var story = Story()
        story.open(1, of: 1, goal: 50, 0)
        for day in [0, 5, 9] { story.stamp(1, of: 1, cups: 3, code: UInt128(900 + day), day) }
        story.stamp(1, of: 1, code: 800, 5)
        story.takeBack(1, of: 1, cups: 2, code: 909, 9)
        try await told(story) { (model) throws in #expect(try model.customer(AccountID(1), of: Self.shop)?.visits == 3) }
        story.takeBack(1, of: 1, cups: 1, code: 909, 9)
        story.takeBack(1, of: 1, cups: 3, code: 905, 9)
        try await told(story) { (model) throws in
            let row = try #require(try model.customer(AccountID(1), of: Self.shop))
            #expect(row.visits == 2 && row.firstDay == Self.monday && row.lastDay == Self.monday + 5, "another code gave a stamp that day")
        }
        story.takeBack(1, of: 1, cups: 3, code: 900, 9)
        story.takeBack(1, of: 1, cups: 1, code: 800, 9)
        try await told(story) { (model) throws in
            #expect(try model.customer(AccountID(1), of: Self.shop) == nil)
            #expect(try counts(model, 9) == CustomerCounts(all: 0, new: 0, regular: 0, nearlyFull: 0, full: 0, lapsed: 0))
        }
    }

    @Test("Cards put a customer into nearlyFull and full, and a redeemed one into neither until its reward is taken back")
    func cards() async throws {
        var story = Story()
        for holder in 1...4 as ClosedRange<UInt128> { story.open(holder, of: holder, 0) }
        for (holder, cups) in [(1, 1), (2, 2), (3, 4), (4, 4)] as [(UInt128, Int)] { story.stamp(holder, of: holder, cups: cups, 0) }
        story.redeem(4, of: 4, as: 70, 3)
        try await told(story) { (model) throws in
            #expect(try holders(model, .nearlyFull, 3) == [2] && holders(model, .full, 3) == [3])
            #expect(try counts(model, 3).nearlyFull == 1 && counts(model, 3).full == 1)
            #expect(try model.customer(AccountID(4), of: Self.shop)?.visits == 2, "a reward is a visit")
            #expect(try model.details(of: AccountID(4), at: Self.shop, cardsMax: 9, visitsMax: 9).cards.isEmpty)
            let card = try #require(try model.details(of: AccountID(3), at: Self.shop, cardsMax: 9, visitsMax: 9).cards.first)
            #expect(card.stamps == 4 && card.goal == 4 && card.status == .full && card.campaign == Self.campaign)
        }
        story.tell(
            .redemptionReversed(
                RedemptionReversed(
                    redemption: RedemptionID(70), card: CardID(4), campaign: Self.campaign, shop: Self.shop, holder: AccountID(4),
                    reason: "")), 4)
        try await told(story) { (model) throws in
            #expect(try holders(model, .full, 4) == [4, 3])
            #expect(try model.customer(AccountID(4), of: Self.shop)?.visits == 1)
        }
    }

    @Test("A customer of a shared campaign belongs to the shops that stamped the card, and each counts its own visits")
    func guests() async throws {
        var story = Story()
        let branch = Self.branch
        story.open(1, of: 1, 0)
        story.stamp(1, of: 1, cups: 2, at: branch, home: Self.shop, 1)
        try await told(story) { (model) throws in
            #expect(try holders(model, nil, 1).isEmpty && holders(model, nil, 1, at: branch) == [1])
            #expect(try holders(model, .nearlyFull, 1).isEmpty && holders(model, .nearlyFull, 1, at: branch) == [1])
        }
        story.stamp(1, of: 1, 2)
        story.stamp(1, of: 1, 3)
        try await told(story) { (model) throws in
            #expect(try holders(model, .full, 3) == [1] && holders(model, .full, 3, at: branch) == [1])
            #expect(try model.customer(AccountID(1), of: Self.shop)?.visits == 2)
            #expect(try model.customer(AccountID(1), of: branch)?.visits == 1)
        }
    }

    @Test("A sold shop and its former owner's shops no longer see each other's cards, even if an older code stamps them, but visits stay")
    func sold() async throws {
        var story = Story()
        let branch = Self.branch
        // A card of each shop, stamped at both.
        story.open(1, of: 1, 0)
        story.stamp(1, of: 1, at: branch, home: Self.shop, 0)
        story.open(2, of: 2, at: branch, 0)
        for place in [branch, Self.shop] { story.stamp(2, of: 2, at: place, home: place == branch ? nil : branch, 0) }
        story.sell(branch, to: 11, from: 10, 1)
        func cards(_ model: Customers, of holder: UInt128, at shop: ShopID) throws -> [Int] {
            try model.details(of: AccountID(holder), at: shop, cardsMax: 9, visitsMax: 9).cards.map(\.stamps)
        }
        story.stamp(1, of: 1, 2)
        story.stamp(1, of: 1, 2)
        try await told(story) { (model) throws in
            #expect(try cards(model, of: 1, at: branch).isEmpty && cards(model, of: 2, at: Self.shop).isEmpty)
            #expect(try cards(model, of: 1, at: Self.shop) == [3] && cards(model, of: 2, at: branch) == [2])
            #expect(try holders(model, .nearlyFull, 2, at: branch) == [2] && holders(model, .nearlyFull, 2) == [1])
            #expect(try holders(model, nil, 2, at: branch) == [2, 1] && holders(model, nil, 2) == [1, 2])
        }
        // The branch issued this code before it was sold.
        story.stamp(1, of: 1, at: branch, home: Self.shop, 3)
        try await told(story) { (model) throws in
            #expect(try model.customer(AccountID(1), of: branch)?.visits == 2)
            #expect(try cards(model, of: 1, at: branch).isEmpty && holders(model, .full, 3, at: branch).isEmpty)
            #expect(try holders(model, .full, 3) == [1])
        }
        story.tell(
            .waitingCardTaken(
                WaitingCardTaken(
                    card: CardID(1), campaign: Self.campaign, shop: Self.shop, holder: AccountID(3), from: AccountID(1), goal: 4,
                    stamps: 4, moved: 0, onto: nil, codes: 4, worth: 0)), 4)
        try await told(story) { (model) throws in
            #expect(try holders(model, nil, 4, at: branch) == [3, 2], "the visits of before are those of who takes the card")
        }
        story.sell(Self.shop, to: 11, from: 10, 5)
        story.stamp(2, of: 2, at: Self.shop, home: branch, 6)
        try await told(story) { (model) throws in #expect(try cards(model, of: 2, at: Self.shop) == [3], "both have one owner again") }
    }

    @Test("The account that takes a waiting card over gets its visits, and a later reversal takes them back")
    func taken() async throws {
        var story = Story()
        story.visit(7, on: [0, 4])
        story.visit(1, on: [4])
        story.stamp(7, of: 7, code: 900, 6)
        story.tell(
            .waitingCardTaken(
                WaitingCardTaken(
                    card: CardID(7), campaign: Self.campaign, shop: Self.shop, holder: AccountID(1), from: AccountID(7), goal: 50,
                    stamps: 3, moved: 0, onto: nil, codes: 3, worth: 0)), 8)
        try await told(story) { (model) throws in
            #expect(try holders(model, nil, 8) == [1])
            let row = try #require(try model.customer(AccountID(1), of: Self.shop))
            #expect(row.visits == 3 && row.firstDay == Self.monday && row.lastDay == Self.monday + 6 && row.cards == 2)
        }
        story.takeBack(7, of: 1, cups: 1, code: 900, 9)
        try await told(story) { (model) throws in #expect(try model.customer(AccountID(1), of: Self.shop)?.lastDay == Self.monday + 4) }
    }

    @Test("An erased customer leaves no row in any table")
    func erased() async throws {
        var story = Story()
        story.visit(1, on: [0, 3])
        story.stamp(1, of: 1, at: ShopID(2), home: Self.shop, 4)
        story.tell(.accountErased(AccountErased(account: AccountID(1))), 5)
        story.tell(
            .cardExpired(
                CardExpired(
                    card: CardID(1), campaign: Self.campaign, shop: Self.shop, holder: AccountID(1), dueAt: Instant(microseconds: 0))), 6)
        try await told(story) { (model) throws in
            let environment = model.store.environment
            let snapshot = try environment.snapshot()
            for table in [model.customers, model.shops, model.visits, model.cards, model.held, model.order, model.counts] {
                var cursor = try snapshot.cursor(table)
                let hasRow = try cursor.first()
                #expect(!hasRow)
            }
            var cursor = try snapshot.cursor(model.zones)
            let hasZone = try cursor.first()
            #expect(hasZone)
        }
    }

    @Test("A page and all counts read a limited number of rows, however many customers there are")
    func work() async throws {
        var rows: [Int: [Int]] = [:]
        for size in [100, 4_000] {
            var story = Story()
            for holder in 1...UInt128(size) { story.visit(holder, goal: 4, on: holder % 40 == 0 ? [-1, 0, 2, 4] : [-1, 0]) }
            try await told(story, by: 1_000) { (model) throws in
                for segment in CustomerSegment.allCases.map(Optional.some) + [nil] {
                    for sort in CustomerSort.allCases {
                        let meter = ReadMeter()
                        try ReadMeter.running(under: meter) {
                            _ = try model.page(of: Self.shop, CustomerList(segment: segment, sort: sort), today: Self.monday + 22)
                        }
                        rows[size, default: []].append(meter.rows)
                    }
                }
            }
        }
        let (few, many) = (try #require(rows[100]), try #require(rows[4_000]))
        #expect(many.allSatisfy { $0 <= ReadModelLimits.customersPerPage + 1_000 })
        #expect(zip(few, many).filter { $1 > $0 + 12 }.count <= 9, "only segments of the clock are picked from others")
    }

    /// Appends a story in large pieces.
    private func told(_ story: Story, by count: Int, _ body: (Customers) throws -> Void) async throws {
        let open = try OpenData(TestData())
        for start in stride(from: 0, to: story.facts.count, by: count) {
            #expect(try await open.append(story.facts[start..<min(start + count, story.facts.count)]))
        }
        try body(open.models.customers)
        try open.close()
    }

    @Test("Pages lead to each customer once, also if those of earlier pages move or disappear")
    func pages() async throws {
        var story = Story()
        for holder in 1...50 as ClosedRange<UInt128> { story.visit(holder, on: [Int(holder) % 7]) }
        let open = try OpenData(TestData())
        #expect(try await open.append(story.facts[...]))
        for sort in CustomerSort.allCases {
            var (found, place): ([UInt128], CustomerPlace?) = ([], nil)
            repeat {
                let page = try open.models.customers.page(
                    of: Self.shop, CustomerList(sort: sort), today: Self.monday + 8, after: place, limit: 7)
                found += page.customers.map(\.account.value)
                place = page.next
                // The last customer of the page comes again, or is erased.
                let (before, last) = (story.facts.count, try #require(page.customers.last).account)
                if found.count % 2 == 0 {
                    story.stamp(last.value, of: last.value, 9)
                } else {
                    story.tell(.accountErased(AccountErased(account: last)), 9)
                }
                #expect(try await open.append(story.facts[before...]))
            } while place != nil
            #expect(Set(found).count == found.count, "\(sort)")
        }
        try open.close()
    }
}
