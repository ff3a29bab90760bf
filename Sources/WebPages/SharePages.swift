internal import Loyalty
internal import LoyaltyCodec

extension WebPage {
    struct Link: Sendable {
        let text: String
        let address: String
    }

    /// A page with a title and a few lines.
    ///
    /// - Parameters:
    ///   - image: the path of a picture.
    ///   - code: as people type it.
    init(
        message title: String, lines: [String], links: [Link] = [], image: String? = nil, code: String? = nil,
        preview: LinkPreview? = nil, in frame: PageFrame
    ) {
        var fields: [String: Any] = [
            "lines": lines, "links": links.map { ["text": $0.text, "address": $0.address] }, "hasLinks": !links.isEmpty,
        ]
        fields["image"] = image
        fields["code"] = code
        self.init(.message, title: title, in: frame, preview: preview, fields: fields)
    }

    /// A substitute if the owner was erased.
    static func name(of shop: Shop, _ language: PageLanguage) -> String { shop.contact == .erased ? language.say(.closedShop) : shop.name }

    /// A substitute if there is no title, such as after an erasure.
    static func title(of campaign: Campaign, _ language: PageLanguage) -> String {
        guard let title = campaign.title.open, !title.isEmpty else { return language.say(.closedCampaign) }
        return title
    }

    static func summary(_ campaign: Campaign, _ shop: Shop, _ language: PageLanguage) -> String {
        let name = name(of: shop, language)
        guard campaign.kind == .stampCard else { return name }
        let values = ["shop": name, "goal": String(campaign.goal)]
        guard let reward = campaign.reward.open, !reward.isEmpty else { return language.say(.collectAt, values) }
        return language.say(.collectAtFor, values.merging(["reward": reward]) { $1 })
    }

    static func links(to shop: Shop, _ language: PageLanguage) -> [Link] {
        guard let place = shop.location else { return [] }
        let maps = MapLinks(name: shop.name, at: place)
        return [
            Link(text: language.say(.mapHere), address: maps.map), Link(text: language.say(.mapApple), address: maps.apple),
            Link(text: language.say(.mapGoogle), address: maps.google), Link(text: language.say(.mapAmap), address: maps.amap),
        ]
    }
}

extension WebPage {
    /// The page that reports why a request failed.
    ///
    /// - Parameter requestID: the request's id in the server's log.
    public static func problem(status: Int, title: String, detail: String, requestID: String, in frame: PageFrame) -> WebPage {
        if status == 404 { return notFound(in: frame) }
        let language = frame.language
        let isOurs = status >= 500
        let lines = isOurs ? [language.say(.brokenWhy), language.say(.brokenWhat)] : [detail]
        return WebPage(
            message: isOurs ? language.say(.brokenTitle) : title, lines: lines + [language.say(.requestNamed, ["id": requestID])],
            links: [Link(text: language.say(.tryAgain), address: frame.path), Link(text: language.say(.toStart), address: "/")], in: frame)
    }

    /// The sentence for a problem's code; nil if the API's own suits people.
    public static func sentence(of code: String, in language: PageLanguage) -> String? {
        Word(rawValue: "problem" + code.prefix(1).uppercased() + code.dropFirst()).map { language.say($0) }
    }

    /// The page for an address with nothing, or no longer anything.
    public static func notFound(in frame: PageFrame) -> WebPage {
        WebPage(
            message: frame.language.say(.notFoundTitle), lines: [frame.language.say(.notFoundWhy)],
            links: [Link(text: frame.language.say(.toStart), address: "/")], in: frame)
    }
}
