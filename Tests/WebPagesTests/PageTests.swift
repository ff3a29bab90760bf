import Loyalty
import Testing

@testable import WebPages

@Suite struct PageTests {
    private static let now = Instant(microseconds: 1_795_251_600_000_000)

    private static func shop(_ name: String, address: String = "1 Tea Road") -> Shop {
        Shop(
            id: ShopID(1), owner: AccountID(2), staff: [],
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
        let page = WebPage(campaign: campaign, of: Self.shop("Tea"), now: Self.now, url: "/c/camp_1", image: nil, in: language)
        #expect(page.html.contains(language == .english ? "A campaign of a shop that has closed" : "已关闭店铺的活动"))
        #expect(!page.html.contains("兑换") && !page.html.contains("stamps for"))
    }

    private static func html(_ title: String, shop: String = "Tea", details: String = "", in language: PageLanguage = .english) -> String {
        WebPage(
            campaign: campaign(title, details: details), of: Self.shop(shop), now: now, url: "https://tea.example/c/camp_1",
            image: "https://tea.example/v1/images/img_1", in: language
        ).html
    }

    @Test("A shared campaign's page has a preview for social networks")
    func openGraph() {
        let html = Self.html("Ten cups", shop: "好喝奶茶店", details: "Any drink.\nHot too.")
        #expect(html.hasPrefix("<!doctype html>\n<html lang=\"en\">\n"))
        for line in [
            #"<meta property="og:title" content="Ten cups">"#,
            #"<meta property="og:description" content="好喝奶茶店: collect 10 stamps for a free cup">"#,
            #"<meta property="og:url" content="https://tea.example/c/camp_1">"#,
            #"<meta property="og:image" content="https://tea.example/v1/images/img_1">"#,
            #"<meta property="og:type" content="website">"#, "<p>Any drink.</p>", "<p>Hot too.</p>", "<h1>Ten cups</h1>",
            "<title>Ten cups</title>",
        ] {
            #expect(html.contains(line + "\n"), "\(line) in \(html)")
        }
        #expect(!html.contains("noindex") && !html.contains("is over"))
    }

    @Test("Pages use the reader's language")
    func languages() {
        #expect(Self.html("十杯", in: .chinese).contains("集满 10 点，兑换a free cup"))
        for page in [WebPage.stampCode("K7QF-2M9X", in: .chinese), .redemptionCode("K7QF-2M9X", in: .chinese), .notFound(in: .chinese)] {
            #expect(page.html.contains("<html lang=\"zh-Hans\">"))
        }
    }

    @Test(
        "Text that users write is never interpreted as HTML",
        arguments: [
            "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)", "&lt;b&gt;", "{{title}}",
            "{{{title}}}",
            "{{% CONTENT_TYPE: TEXT}}<b>", "<\u{301}b>", "\"\u{301} onmouseover=alert(1) \u{301}\"", "a\u{301}\"\u{20E3}><b>", "`onload=1`",
            "</style><b>", "]]>", "\u{202E}<b>", "<!--",
        ])
    func escaping(_ text: String) {
        let page = WebPage(
            shop: Self.shop(text, address: text), campaigns: [(Self.campaign(text), "https://tea.example/c/camp_1")],
            url: "https://tea.example/s/shop_1", image: nil, in: .english)
        for html in [Self.html(text, shop: text, details: text), page.html] {
            // Compares scalars, because a browser reads scalars and not characters.
            let scalars = Array(html.unicodeScalars)
            let plain = Array(Self.html("x", shop: "x", details: "x").unicodeScalars) + Array(Self.plainShopPage.unicodeScalars)
            for mark in "<>'`".unicodeScalars where scalars.contains(mark) {
                #expect(plain.contains(mark), "\(mark)")
            }
            #expect(Self.tags(html).isSubset(of: Self.tags(Self.html("x", shop: "x", details: "x")).union(Self.tags(Self.plainShopPage))))
            #expect(Self.quotes(html) == Self.quotes(html == page.html ? Self.plainShopPage : Self.html("x", shop: "x", details: "x")))
        }
    }

    private static let plainShopPage = WebPage(
        shop: shop("x", address: "x"), campaigns: [(campaign("x"), "https://tea.example/c/camp_1")], url: "https://tea.example/s/shop_1",
        image: nil, in: .english
    ).html

    /// Returns the text after each `<`, up to a space or the end of the tag.
    private static func tags(_ html: String) -> Set<String> {
        var (tags, tag): (Set<String>, String.UnicodeScalarView?) = ([], nil)
        for scalar in html.unicodeScalars {
            if scalar == "<" {
                tag = .init()
            } else if let open = tag, scalar == " " || scalar == ">" {
                tags.insert(String(open))
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
        for page in [WebPage.stampCode("K7QF-2M9X", in: .english), .redemptionCode("K7QF-2M9X", in: .english)] {
            #expect(page.html.contains("<p class=\"code\">K7QF-2M9X</p>"))
            #expect(page.html.contains("noindex") && !page.html.contains("og:url") && !page.html.contains("<a "))
        }
    }

    @Test("The policy allows the page's own style and no script")
    func policy() {
        #expect(WebPage.securityPolicy.contains("default-src 'none'") && WebPage.securityPolicy.contains("style-src 'sha256-"))
        #expect(!WebPage.securityPolicy.contains("unsafe") && !WebPage.securityPolicy.contains("script"))
        #expect(!Self.html("x").contains("<script") && Self.html("x").contains("<style>\(Template.style)</style>"))
    }

    @Test("The page of an ended campaign says that it is over")
    func over() {
        var campaign = Self.campaign("Cups", kind: .promotion)
        campaign.endedAt = Self.now
        let page = WebPage(campaign: campaign, of: Self.shop("Tea"), now: Self.now, url: "https://x/c/1", image: nil, in: .english)
        #expect(page.html.contains("<p>This campaign is over.</p>"))
        #expect(page.description == "Tea")
    }
}
