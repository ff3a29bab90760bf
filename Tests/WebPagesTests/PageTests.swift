import Loyalty
import LoyaltyCodec
import Testing

@testable import WebPages

@Suite struct PageTests {
    private static let now = Instant(microseconds: 1_795_251_600_000_000)

    private static func frame(_ language: PageLanguage = .english, path: String = "/c/camp_1") -> PageFrame {
        PageFrame(language: language, path: path, publicURL: "https://tea.example")
    }

    private static func clock(ahead seconds: Int, at time: Instant = now) -> ShopClock { ShopClock(now: time) { _ in seconds } }

    private static func shop(_ name: String, address: String = "1 Tea Road") -> Shop {
        Shop(
            id: ShopID(1), owner: AccountID(2),
            contact: .clear(
                ShopContact(
                    name: name, phone: "010", address: address, location: Coordinate(latitude: 31.2304, longitude: 121.4737))),
            images: [], isSuspended: false, openedAt: now,
            version: 1)
    }

    private static func campaign(_ title: String, details: String = "", kind: CampaignKind = .stampCard) -> Campaign {
        Campaign(
            id: CampaignID(3), shop: ShopID(1), kind: kind,
            terms: CampaignTerms(
                title: .clear(title), details: .clear(details), goal: 10, reward: "a free cup", startsAt: now,
                endsAt: now.advanced(bySeconds: 86_400), image: nil, caps: .none), endedAt: nil, version: 2)
    }

    @Test("A campaign of an erased owner has a page without its texts", arguments: [PageLanguage.english, .chinese])
    func erasedCampaign(_ language: PageLanguage) {
        var campaign = Self.campaign("")
        campaign.reward = ""
        let page = Self.page(of: campaign, at: Self.shop("Tea"), in: language)
        #expect(page.html.contains(language == .english ? "A campaign of a shop that has closed" : "已关闭店铺的活动"))
        #expect(!page.html.contains("点，兑换") && !page.html.contains("点：") && !page.html.contains("stamps for"))
    }

    private static func html(_ title: String, shop: String = "Tea", details: String = "", in language: PageLanguage = .english) -> String {
        page(of: campaign(title, details: details), at: Self.shop(shop), image: "/v1/images/img_1", in: language).html
    }

    private static let rated = RatingView(average: 4.25, count: 4, histogram: [0, 0, 1, 1, 2])

    private static func page(
        of campaign: Campaign, at shop: Shop, image: String? = nil, in language: PageLanguage = .english
    ) -> WebPage {
        let view = WebPage.CampaignView(campaign: campaign, shop: shop, rating: rated, favorites: 2, image: image, clock: clock(ahead: 0))
        return .campaign(view, in: frame(language))
    }

    private static func item(_ text: String) -> FoundItem {
        FoundItem(campaign: campaign(text), of: shop(text, address: text), image: nil, distanceMillimeters: 1_234_567, in: .english)
    }

    private static func review(_ text: String, replies: [ReviewView] = []) -> ReviewView {
        ReviewView(
            author: .init(name: text, avatar: nil, isShop: false), text: text, rating: replies.isEmpty ? nil : 4, isVerified: true,
            isRemoved: false, at: now, replies: replies)
    }

    private static func page(of shop: Shop, saying text: String) -> WebPage {
        let view = WebPage.ShopView(
            shop: shop, rating: rated, campaigns: [item(text)], reviews: [review(text, replies: [review(text)])], olderReviews: text,
            isContinued: true, clock: clock(ahead: 0))
        return .shop(view, in: frame(path: text))
    }

    @Test("A campaign of several shops names all of them, and a campaign of one shop has no list")
    func severalShops() {
        let view = WebPage.CampaignView(
            campaign: Self.campaign("Ten cups"), shop: Self.shop("First"), shops: [Self.shop("Second")], rating: Self.rated, favorites: 0,
            image: nil, clock: Self.clock(ahead: 0))
        let html = WebPage.campaign(view, in: Self.frame(.english)).html
        #expect(html.contains("campaign-shops") && html.contains(">Second<"))
        #expect(!Self.html("Ten cups").contains("campaign-shops"))
    }

    @Test("A campaign says its bonus hours in words")
    func bonusHours() {
        var campaign = Self.campaign("Ten cups")
        campaign.options.bonuses = [
            BonusHours(days: Weekdays(rawValue: 0x05), fromMinute: 840, toMinute: 960, factor: 3),
            BonusHours(days: .all, fromMinute: 1_320, toMinute: 90, factor: 2),
        ]
        let english = Self.page(of: campaign, at: Self.shop("Tea")).html
        #expect(english.contains("<dt>3 times the stamps</dt><dd>Mon, Wed, 14:00 to 16:00</dd>"))
        #expect(english.contains("<dt>2 times the stamps</dt><dd>Every day, 22:00 to 01:30 the next day</dd>"))
        let chinese = Self.page(of: campaign, at: Self.shop("Tea"), in: .chinese).html
        #expect(chinese.contains("<dt>3 倍集点</dt><dd>周一、周三 14:00 至 16:00</dd>"))
        #expect(chinese.contains("<dt>2 倍集点</dt><dd>每天 22:00 至次日 01:30</dd>"))
        #expect(!Self.html("Ten cups").contains("times the stamps"))
    }

    @Test("A campaign names its milestones")
    func milestones() {
        var campaign = Self.campaign("Ten cups")
        campaign.options.milestones = [Milestone(at: 1, reward: "A <b>sticker</b>"), Milestone(at: 3, reward: "A cookie")]
        let english = Self.page(of: campaign, at: Self.shop("Tea")).html
        #expect(english.contains("<dt>After one stamp</dt><dd>A &lt;b&gt;sticker&lt;/b&gt;</dd>"))
        #expect(english.contains("<dt>After 3 stamps</dt><dd>A cookie</dd>"))
        let chinese = Self.page(of: campaign, at: Self.shop("Tea"), in: .chinese).html
        #expect(chinese.contains("<dt>集 3 点后</dt><dd>A cookie</dd>"))
    }

    @Test("A shared campaign's page has a preview for social networks")
    func openGraph() {
        let html = Self.html("Ten cups", shop: "好喝奶茶店", details: "Any drink.\nHot too.")
        #expect(html.hasPrefix("<!doctype html>\n<html lang=\"en\""))
        for line in [
            #"<meta property="og:title" content="Ten cups">"#,
            #"<meta property="og:description" content="好喝奶茶店: collect 10 stamps for a free cup">"#,
            #"<meta property="og:url" content="https://tea.example/c/\#(CampaignID(3).text)">"#,
            #"<meta property="og:image" content="https://tea.example/v1/images/img_1">"#,
            #"<meta property="og:type" content="website">"#, "<h1><bdi>Ten cups</bdi></h1>", "<title>Ten cups · GreenTea</title>",
        ] {
            #expect(html.contains(line + "\n"), "\(line) in \(html)")
        }
        #expect(html.contains("Any drink.") && html.contains("Hot too."))
        #expect(!html.contains("noindex") && !html.contains("is over"))
    }

    @Test("Pages use the reader's language, and every page offers the other language")
    func languages() {
        #expect(Self.html("十杯", in: .chinese).contains("集满 10 点，兑换a free cup"))
        let chinese = Self.frame(.chinese)
        for page in [WebPage.stampCode("K7QF-2M9X", in: chinese), .redemptionCode("K7QF-2M9X", in: chinese), .notFound(in: chinese)] {
            #expect(page.html.contains("<html lang=\"zh-Hans\""))
            #expect(page.html.contains(#"value="en" lang="en""#) && !page.html.contains(#"value="zh-Hans""#))
        }
    }

    @Test(
        "Text that users write is never interpreted as HTML",
        arguments: [
            "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)", "&lt;b&gt;", "{{title}}",
            "{{{title}}}",
            "{{% CONTENT_TYPE: TEXT}}<b>", "<\u{301}b>", "\"\u{301} onmouseover=alert(1) \u{301}\"", "a\u{301}\"\u{20E3}><b>", "`onload=1`",
            "</style><b>", "]]>", "\u{202E}<b>", "<!--", "{{/layout}}", "{{>layout}}", "\r\n\"\r\n<b",
        ])
    func escaping(_ text: String) {
        let pages: [(String) -> WebPage] = [
            { Self.page(of: Self.campaign($0, details: $0), at: Self.shop($0, address: $0)) },
            { Self.page(of: Self.shop($0, address: $0), saying: $0) },
            {
                let query = HomeQuery(list: .campaigns, text: $0, kind: .stampCard, sort: "popular", near: $0)
                return .home(query, [Self.item($0)], next: $0, around: nil, in: Self.frame(path: $0))
            },
            { .proof(.init(checkpoint: $0, key: $0, size: 1), in: Self.frame(path: $0)) },
            { .stampCode($0, in: Self.frame(path: $0)) },
            { .problem(status: 429, title: $0, detail: $0, requestID: $0, in: Self.frame(path: $0)) },
        ]
        for page in pages {
            let (html, plain) = (page(text).html, page("x").html)
            #expect(Self.tags(html) == Self.tags(plain))
            #expect(Self.quotes(html) == Self.quotes(plain))
        }
    }

    /// Returns the text after each `<`, up to a space or the end of the tag. Compares scalars, because a browser reads scalars and not
    /// characters.
    private static func tags(_ html: String) -> [String] {
        var (tags, tag): ([String], String.UnicodeScalarView?) = ([], nil)
        for scalar in html.unicodeScalars {
            if scalar == "<" {
                tag = .init()
            } else if let open = tag, scalar == " " || scalar == ">" {
                tags.append(String(open))
                tag = nil
            } else {
                tag?.append(scalar)
            }
        }
        return tags
    }

    private static func quotes(_ html: String) -> Int { html.unicodeScalars.count { $0 == "\"" } }

    @Test("A code's page shows only the code and is not meant for sharing")
    func codes() {
        for page in [WebPage.stampCode("K7QF-2M9X", in: Self.frame()), .redemptionCode("K7QF-2M9X", in: Self.frame())] {
            #expect(page.html.contains(">K7QF-2M9X</p>"))
            #expect(page.html.contains("noindex") && !page.html.contains("og:url"))
        }
    }

    @Test("The policy allows files of this server alone, and no page has a script or a style in its text")
    func policy() {
        #expect(WebPage.securityPolicy.contains("default-src 'none'") && WebPage.securityPolicy.contains("frame-ancestors 'none'"))
        #expect(!WebPage.securityPolicy.contains("unsafe") && !WebPage.securityPolicy.contains("*"))
        for html in [Self.html("x"), WebPage.notFound(in: Self.frame()).html] {
            #expect(!html.contains("<style") && !html.contains(" style=") && !html.contains("<script>") && !html.contains("://cdn"))
        }
    }

    @Test("The page of an ended campaign says that it is over")
    func over() {
        var campaign = Self.campaign("Cups", kind: .promotion)
        campaign.endedAt = Self.now
        let page = Self.page(of: campaign, at: Self.shop("Tea"))
        #expect(page.html.contains("This campaign is over."))
        #expect(page.html.contains(#"<meta property="og:description" content="Tea">"#))
    }

    @Test("The page of a failure names the request and offers to try again, and the page for a missing thing links to other pages")
    func problems() {
        let broken = WebPage.problem(status: 503, title: "t", detail: "d", requestID: "abc", in: Self.frame(path: "/wallet"))
        #expect(broken.html.contains("This is our fault") && broken.html.contains("abc") && broken.html.contains(#"href="/wallet""#))
        let missing = WebPage.problem(status: 404, title: "t", detail: "d", requestID: "abc", in: Self.frame())
        #expect(missing.html == WebPage.notFound(in: Self.frame()).html)
    }

    @Test("A reply without replies does not show the replies to another reply")
    func threads() {
        let html = Self.page(of: Self.shop("Tea"), saying: "fine").html
        #expect(html.matches(of: #/<article class="review">/#).count == 2 && html.matches(of: #/<div class="replies">/#).count == 1)
        // A reply to the review must not show stars. So only the review itself shows its rating of 4.
        #expect(html.matches(of: #/Rated 4 out of 5/#).count == 1 && html.matches(of: #/Rated 4\.3 out of 5/#).count == 2)
    }

    @Test("The links of the list keep the query", arguments: ["茶 & \"Tea\"", "a=b&c", "%2F"])
    func narrowing(_ text: String) {
        let query = HomeQuery(list: .campaigns, text: text, kind: .promotion, sort: nil, near: nil)
        let html = WebPage.home(query, [], next: "c+/=", around: nil, in: Self.frame()).html
        let encoded = MapLinks.encoded(text)
        #expect(html.contains("href=\"/?kind=promotion&amp;q=\(encoded)&amp;cursor=c%2B%2F%3D\""))
        #expect(html.contains("href=\"/?kind=promotion&amp;sort=popular&amp;q=\(encoded)\""))
        #expect(html.contains("Nothing found") && html.contains(#"name="kind" value="promotion""#))
    }

    @Test(
        "A phone number that cannot be dialled has no link",
        arguments: [("021-5555 0100", "tel:02155550100"), ("+49 (30) 1", "tel:+49301")])
    func dialling(_ phone: String, _ link: String) {
        #expect(WebPage.call(phone) == link)
        for none in ["", "ask", "1+1+1", "12"] { #expect(WebPage.call(none) == nil) }
    }

    @Test("Distances and days are written in the form that people use")
    func units() {
        #expect(FoundItem.distance(354_000, .english) == "350 m" && FoundItem.distance(1_250_000, .english) == "1.3 km")
        #expect(FoundItem.distance(12_600_000, .chinese) == "13 公里")
        #expect(WebPage.day(Self.now, .english, Self.clock(ahead: 0)) == "21 Nov 2026")
        #expect(WebPage.day(Self.now, .chinese, Self.clock(ahead: 0)) == "2026年11月21日")
    }
}
