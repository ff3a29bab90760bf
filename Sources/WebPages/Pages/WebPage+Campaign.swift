public import Loyalty
internal import LoyaltyCodec

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
