internal import EventLog
public import Loyalty
internal import LoyaltyCodec

/// What is asked about at a moment of the past.
public enum PastSubject: Hashable, Sendable {
    case card(CardID)
    case shop(ShopID)
    case account(AccountID)
    case campaign(CampaignID)
    /// Of one shop, or of all.
    case ratings(ShopID?)
    case statistics(ShopID, PastDays)

    /// Every way to ask.
    public static let usage = "card ID, shop ID, account ID, campaign ID, ratings [SHOP] or statistics SHOP"

    /// Reads `card card_01…`, `ratings`, `statistics shop_01…`; nil for anything else.
    public init?(words: [String], days: PastDays) {
        switch (words.first, words.count) {
        case ("card", 2): self.init(CardID(text: words[1]), Self.card)
        case ("shop", 2): self.init(ShopID(text: words[1]), Self.shop)
        case ("account", 2): self.init(AccountID(text: words[1]), Self.account)
        case ("campaign", 2): self.init(CampaignID(text: words[1]), Self.campaign)
        case ("ratings", 1): self = .ratings(nil)
        case ("ratings", 2): self.init(ShopID(text: words[1])) { .ratings($0) }
        case ("statistics", 2): self.init(ShopID(text: words[1])) { .statistics($0, days) }
        default: return nil
        }
    }

    private init?<Noun>(_ id: ID<Noun>?, _ make: (ID<Noun>) -> PastSubject) {
        guard let id else { return nil }
        self = make(id)
    }

    /// As it was asked.
    public var text: String {
        switch self {
        case .card(let id): "card \(id.text)"
        case .shop(let id): "shop \(id.text)"
        case .account(let id): "account \(id.text)"
        case .campaign(let id): "campaign \(id.text)"
        case .ratings(let id): id.map { "ratings \($0.text)" } ?? "ratings"
        case .statistics(let id, _): "statistics \(id.text)"
        }
    }

    /// The tag and the types of the events that made it what it was; nil for what is made of everybody's.
    var events: (tag: Tag, types: Set<EventType>)? {
        switch self {
        case .card(let id): (Tag(.card, id.value), PastTypes.card)
        case .shop(let id): (Tag(.shop, id.value), PastTypes.shop.union(PastTypes.ratings))
        case .account(let id): (Tag(.account, id.value), PastTypes.account)
        case .campaign(let id): (Tag(.campaign, id.value), PastTypes.campaign)
        case .ratings(let id): id.map { (Tag(.shop, $0.value), PastTypes.ratings) }
        case .statistics(let id, _): (Tag(.shop, id.value), PastTypes.statistics)
        }
    }
}
