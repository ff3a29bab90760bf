internal import Crypto
internal import Foundation
public import Loyalty
internal import LoyaltyCodec
internal import Mustache

/// A small page for those who open a shared link or a scanned code without the app: plain HTML with Open Graph tags.
public struct WebPage: Sendable {
    /// A place to go.
    struct Link: Sendable {
        let text: String
        let address: String
    }

    let language: PageLanguage
    let title: String
    /// One sentence for those who show the link.
    let description: String
    /// The page's address; nil for a page that is not to be shared.
    var url: String?
    /// The address of a picture.
    var image: String?
    /// A code, as it is typed.
    var code: String?
    var lines: [String] = []
    var links: [Link] = []
    let note: String

    /// The page as UTF-8. Whatever people wrote is escaped.
    public var html: String {
        guard let page = Template.page else { return "" }
        return page.render(fields)
    }

    /// The Content-Security-Policy: browsers show the page with pictures from here, and nothing else.
    public static let securityPolicy: String = {
        let style = Data(SHA256.hash(data: Data(Template.style.utf8))).base64EncodedString()
        return "default-src 'none'; style-src 'sha256-\(style)'; img-src 'self'; base-uri 'none'; form-action 'none'; "
            + "frame-ancestors 'none'"
    }()

    private var fields: [String: Any] {
        var fields: [String: Any] = [
            "language": language.rawValue, "title": title, "description": description, "lines": lines, "note": note,
            "links": links.map { ["text": $0.text, "address": $0.address] }, "hasLinks": !links.isEmpty, "isPrivate": url == nil,
        ]
        fields["url"] = url
        fields["image"] = image
        fields["code"] = code
        return fields
    }
}

extension WebPage {
    /// A shared campaign.
    ///
    /// - Parameters:
    ///   - campaign: opened.
    ///   - url: where this page is.
    ///   - image: the address of its picture.
    public init(campaign: Campaign, of shop: Shop, now: Instant, url: String, image: String?, in language: PageLanguage) {
        self.init(
            language: language, title: Self.title(of: campaign, language), description: Self.summary(campaign, shop, language), url: url,
            image: image,
            lines: Self.lines(campaign, shop, now, language), links: Self.links(to: shop, language), note: Self.note(language))
    }

    /// A shared shop, with what runs there.
    public init(shop: Shop, campaigns: [(campaign: Campaign, url: String)], url: String, image: String?, in language: PageLanguage) {
        self.init(
            language: language, title: Self.name(of: shop, language), description: shop.address, url: url, image: image,
            lines: [shop.address, shop.phone].filter { !$0.isEmpty },
            links: campaigns.map { Link(text: Self.title(of: $0.campaign, language), address: $0.url) } + Self.links(to: shop, language),
            note: Self.note(language))
    }

    /// An erased owner's shop has no name any more.
    private static func name(of shop: Shop, _ language: PageLanguage) -> String {
        shop.contact == .erased ? language.say("A shop that has closed", "已关闭的店铺") : shop.name
    }

    /// An erased owner's campaigns have no titles any more.
    private static func title(of campaign: Campaign, _ language: PageLanguage) -> String {
        guard let title = campaign.title.open, !title.isEmpty else {
            return language.say("A campaign of a shop that has closed", "已关闭店铺的活动")
        }
        return title
    }

    private static func summary(_ campaign: Campaign, _ shop: Shop, _ language: PageLanguage) -> String {
        let name = name(of: shop, language)
        guard campaign.kind == .stampCard else { return name }
        guard let reward = campaign.reward.open, !reward.isEmpty else {
            return language.say("\(name): collect \(campaign.goal) stamps", "\(name)：集满 \(campaign.goal) 点")
        }
        return language.say(
            "\(name): collect \(campaign.goal) stamps for \(reward)", "\(name)：集满 \(campaign.goal) 点，兑换\(reward)")
    }

    private static func lines(_ campaign: Campaign, _ shop: Shop, _ now: Instant, _ language: PageLanguage) -> [String] {
        let days =
            language.say("From \(day(campaign.startsAt)) to ", "\(day(campaign.startsAt)) 至 ")
            + day(min(campaign.endsAt, campaign.endedAt ?? campaign.endsAt))
        let over = campaign.isOver(at: now) ? [language.say("This campaign is over.", "此活动已结束。")] : []
        let details = (campaign.details.open ?? "").split(whereSeparator: \.isNewline).map(String.init)
        return over + [summary(campaign, shop, language)] + details + [days, shop.address].filter { !$0.isEmpty }
    }

    /// The date alone, which is in UTC as all times here.
    private static func day(_ time: Instant) -> String { String(time.rfc3339.prefix(10)) }

    static func links(to shop: Shop, _ language: PageLanguage) -> [Link] {
        guard let place = shop.location else { return [] }
        let maps = MapLinks(name: shop.name, at: place)
        return [
            Link(text: language.say("Open in maps", "打开地图"), address: maps.map),
            Link(text: language.say("Apple Maps", "苹果地图"), address: maps.apple),
            Link(text: language.say("Google Maps", "谷歌地图"), address: maps.google),
            Link(text: language.say("Amap", "高德地图"), address: maps.amap),
        ]
    }

    static func note(_ language: PageLanguage) -> String {
        language.say("Open this page on a phone with the GreenTea app to collect stamps.", "请在装有 GreenTea 应用的手机上打开本页，即可集点。")
    }
}

extension WebPage {
    /// A scanned stamp code: the same page for each text that could be one, so that nobody learns here which ones are good.
    ///
    /// - Parameter code: as it is typed: `K7QF-2M9X`.
    public static func stampCode(_ code: String, in language: PageLanguage) -> WebPage {
        WebPage(
            language: language, title: language.say("Your stamp code", "您的集点码"),
            description: language.say("Enter this code in the GreenTea app.", "请在 GreenTea 应用中输入此码。"), code: code,
            lines: [
                language.say(
                    "Enter this code in the GreenTea app. It works once, and not for long.", "请在 GreenTea 应用中输入此码。此码仅可使用一次，且很快失效。")
            ],
            note: note(language))
    }

    /// A scanned redemption code, which is for the shop's eyes.
    ///
    /// - Parameter code: as it is typed: `K7QF-2M9X`.
    public static func redemptionCode(_ code: String, in language: PageLanguage) -> WebPage {
        WebPage(
            language: language, title: language.say("A redemption code", "兑换码"),
            description: language.say("The shop enters this code to hand out the reward.", "由店家输入此码发放奖励。"), code: code,
            lines: [language.say("Show this code at the counter. The shop enters it and hands out the reward.", "请在柜台出示此码，由店家输入后发放奖励。")],
            note: note(language))
    }

    /// Nothing is there, or nothing any more.
    public static func notFound(in language: PageLanguage) -> WebPage {
        WebPage(
            language: language, title: language.say("Not found", "未找到"),
            description: language.say("There is nothing at this address.", "此地址没有内容。"),
            lines: [language.say("There is nothing at this address.", "此地址没有内容。")], note: note(language))
    }
}

/// The languages that pages are written in. The raw value is what HTML calls it.
public enum PageLanguage: String, Sendable, CaseIterable {
    case english = "en"
    case chinese = "zh-Hans"

    /// The words of the language that it is.
    func say(_ english: String, _ chinese: String) -> String {
        self == .english ? english : chinese
    }
}
