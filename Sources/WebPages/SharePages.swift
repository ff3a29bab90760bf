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
        Word(named: "problem" + code.prefix(1).uppercased() + code.dropFirst()).map { language.say($0) }
    }

    /// The page for an address with nothing, or no longer anything.
    public static func notFound(in frame: PageFrame) -> WebPage {
        WebPage(
            message: frame.language.say(.notFoundTitle), lines: [frame.language.say(.notFoundWhy)],
            links: [Link(text: frame.language.say(.toStart), address: "/")], in: frame)
    }
}

extension WebPage {
    /// The data with which anybody can verify the log.
    public struct LogView: Sendable {
        /// A signed note.
        public let checkpoint: String
        /// `name+id+base64`.
        public let key: String
        public let size: UInt64
        /// Nil without an auditor.
        public let audit: AuditView?

        public init(checkpoint: String, key: String, size: UInt64, audit: AuditView? = nil) {
            (self.checkpoint, self.key, self.size, self.audit) = (checkpoint, key, size, audit)
        }
    }

    /// The auditor's finding, from replaying the log and comparing the models.
    public enum AuditView: Sendable {
        /// Not every model is compared yet; no difference so far.
        case beginning
        /// Each model was compared at `through` or later.
        case equal(models: Int, through: UInt64)
        case differs([String])

        fileprivate func text(in language: PageLanguage) -> String {
            switch self {
            case .beginning: language.say(.auditBeginning)
            case .equal(let models, let position): language.say(.auditEqual, count: models, ["position": "\(position)"])
            case .differs(let names): language.say(.auditDiffers, ["models": names.joined(separator: ", ")])
            }
        }
    }

    /// The page that explains how stamps are proved. The reader's own browser verifies a receipt.
    public static func proof(_ log: LogView, in frame: PageFrame) -> WebPage {
        let language = frame.language
        var isWrong = false
        if case .differs? = log.audit { isWrong = true }
        return WebPage(
            .proof, title: language.say(.proofTitle), in: frame, script: .proof,
            preview: LinkPreview(description: language.say(.proofLead), url: frame.publicURL + "/proof"),
            fields: [
                "checkpoint": log.checkpoint, "key": log.key, "events": language.say(.eventCount, count: Int(clamping: log.size)),
                "audit": log.audit?.text(in: language) ?? "", "hasAudit": log.audit != nil, "isWrong": isWrong,
            ])
    }
}

extension WebPage {
    /// The page with every component in every state, for developers.
    public static func style(in frame: PageFrame) -> WebPage {
        let sprite = Asset.all[Asset.path(of: "icons.svg")].map { String(decoding: $0.plain, as: UTF8.self) } ?? ""
        let icons = sprite.matches(of: #/<symbol id="(\w+)"/#).map { String($0.1) }
        return WebPage(.style, title: "Components", in: frame, fields: ["icons": icons])
    }
}
