import Loyalty
import LoyaltyCodec
import Testing

@testable import WebPages

/// Opening hours, dates and milestones on the public pages of a shop.
@Suite struct ShopHoursTests {
    /// Wednesday, 25 November 2026, 22:30 in London.
    private static let now = Instant(microseconds: 1_795_645_800_000_000)
    private static let chinaSeconds = 8 * 3_600

    private static func shop(_ hours: [OpeningHours]?, isSuspended: Bool = false) -> Shop {
        var shop = Shop(
            id: ShopID(1), owner: AccountID(2),
            contact: .clear(
                ShopContact(name: "Tea", phone: "010", address: "Tea Road", location: Coordinate(latitude: 31.2304, longitude: 121.4737))),
            images: [], isSuspended: isSuspended, openedAt: now, version: 1)
        shop.schedule = ShopSchedule(timeZone: "Asia/Shanghai", openingHours: hours)
        return shop
    }

    private static func html(_ shop: Shop, ahead seconds: Int = chinaSeconds, language: PageLanguage = .english) -> String {
        let review = ReviewView(
            author: .init(name: "A", avatar: nil, isShop: false), text: "Good", rating: 5, isVerified: false, isRemoved: false, at: now,
            replies: [])
        let view = WebPage.ShopView(
            shop: shop, rating: RatingView(average: nil, count: 0, histogram: [0, 0, 0, 0, 0]), campaigns: [], reviews: [review],
            olderReviews: nil, isContinued: false, clock: ShopClock(now: now) { _ in seconds })
        return WebPage.shop(view, in: PageFrame(language: language, path: "/s/1", publicURL: "https://tea.example")).html
    }

    private static let workdays = OpeningHours(days: 0x1F, fromMinute: 420, toMinute: 1_080)
    private static let nights = OpeningHours(days: 0x08, fromMinute: 1_200, toMinute: 120)

    @Test("Today's hours come first, in the shop's local time, with whether the shop is open now")
    func today() throws {
        // At `now` it is 06:30 on Thursday in Shanghai.
        let closed = Self.html(Self.shop([Self.workdays, Self.nights]))
        #expect(closed.contains(">Closed now</span>"))
        let first = try #require(closed.firstRange(of: "<dt>Today, Thursday</dt><dd>07:00 to 18:00, 20:00 to 02:00</dd>"))
        let second = try #require(closed.firstRange(of: "<dt>Friday</dt><dd>07:00 to 18:00</dd>"))
        #expect(first.lowerBound < second.lowerBound)
        #expect(closed.contains("<dt>Sunday</dt><dd>Closed</dd>"))
        // The clock is one hour further ahead, so the shop's local time is 07:30.
        #expect(Self.html(Self.shop([Self.workdays]), ahead: Self.chinaSeconds + 3_600).contains("badge good\">Open now</span>"))
        // The shop's local time is 00:30 on Friday. The night opening of Thursday continues until 02:00.
        #expect(Self.html(Self.shop([Self.nights]), ahead: Self.chinaSeconds + 18 * 3_600).contains(">Open now</span>"))
        let chinese = Self.html(Self.shop([Self.workdays]), language: .chinese)
        #expect(chinese.contains("<dt>今天 周四</dt><dd>07:00 至 18:00</dd>") && chinese.contains("休息中"))
    }

    @Test("A shop without hours or under suspension shows no hours, and a shop that is never open says so")
    func none() {
        for shop in [Self.shop(nil), Self.shop([Self.workdays], isSuspended: true)] { #expect(!Self.html(shop).contains("id=\"hours\"")) }
        #expect(Self.html(Self.shop([])).contains("<dt>Today, Thursday</dt><dd>Closed</dd>"))
    }

    @Test("Dates are shown in the shop's local time")
    func dates() {
        #expect(Self.html(Self.shop(nil)).contains(">26 Nov 2026</time>"))
        #expect(Self.html(Self.shop(nil), ahead: 0).contains(">25 Nov 2026</time>"))
        let campaign = Self.campaign([])
        #expect(Self.html(campaign, ahead: Self.chinaSeconds).contains("26 Nov 2026"))
        #expect(Self.html(campaign, ahead: 0).contains("25 Nov 2026"))
    }

    private static func campaign(_ milestones: [Milestone]) -> Campaign {
        var campaign = Campaign(
            id: CampaignID(3), shop: ShopID(1), kind: .stampCard,
            terms: CampaignTerms(
                title: .clear("Ten"), details: .clear(""), goal: 10, reward: "a cup", startsAt: now,
                endsAt: now.advanced(bySeconds: 86_400), image: nil, caps: .none), endedAt: nil, version: 2)
        campaign.options.milestones = milestones
        return campaign
    }

    private static func html(_ campaign: Campaign, ahead seconds: Int) -> String {
        let rating = RatingView(average: nil, count: 0, histogram: [0, 0, 0, 0, 0])
        let view = WebPage.CampaignView(
            campaign: campaign, shop: shop(nil), rating: rating, favorites: 0, image: nil, clock: ShopClock(now: now) { _ in seconds })
        return WebPage.campaign(view, in: PageFrame(language: .english, path: "/c/1", publicURL: "https://tea.example")).html
    }

    @Test("A campaign's card shows the rewards of milestones at their places")
    func milestones() {
        let plain = Self.html(Self.campaign([]), ahead: 0)
        #expect(!plain.contains("milestone") && plain.contains("<li>3</li>"))
        let shown = Self.html(Self.campaign([Milestone(at: 3, reward: "A cookie")]), ahead: 0)
        #expect(shown.contains("<li class=\"reward\"><span class=\"unseen\">3</span>") && shown.contains("<li>4</li>"))
        #expect(shown.contains("<span class=\"muted milestone\">At 3 stamps: <bdi>A cookie</bdi></span>"))
    }
}
