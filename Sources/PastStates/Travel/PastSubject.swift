internal import EventLog
public import Loyalty
internal import LoyaltyCodec
internal import Projections
internal import ReadModels

/// The subject of a query about the past.
public enum PastSubject: Hashable, Sendable {
    case card(CardID)
    case shop(ShopID)
    case account(AccountID)
    case campaign(CampaignID)
    /// Nil for all shops.
    case ratings(ShopID?)
    case statistics(ShopID, PastDays)

    /// All forms of a subject, for a message.
    public static let usage = "card ID, shop ID, account ID, campaign ID, ratings [SHOP] or statistics SHOP"

    /// Parses `card card_01…`, `ratings`, `statistics shop_01…`.
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

    /// The form that ``init(words:days:)`` parses, without the days.
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

    /// The common tag and the types of the subject's events. ``Travel`` also reads other tags for accounts and statistics.
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

/// Finds the events of one item by the tag index, and by a scan after the index's end. For one thread only.
final class PastEvents {
    private let log: EventLog
    private var index: StoredIndex?
    /// Records that the index did not lead to.
    private(set) var scanned: UInt64 = 0

    init(_ log: EventLog, index: StoredIndex?) { (self.log, self.index) = (log, index) }

    /// Calls `body` with the events after `after`, through `through`, oldest first.
    ///
    /// - Parameter tag: nil for all events.
    func forEach(_ tag: Tag?, _ types: Set<EventType>, after: Position, through: Position, _ body: (Fact) throws -> Void) throws {
        guard after < through else { return }
        guard let tag, let index, index.covered > after else { return try scan(tag, types, after: after, through: through, body) }
        let found: [UInt64]
        do {
            found = try index.positions(of: tag, types: Array(types), after: after, through: through)
        } catch {
            // The index is derived data, so damage to it only means a scan of the log.
            self.index = nil
            return try scan(tag, types, after: after, through: through, body)
        }
        for position in found { try visit(Position(position), tag, types, body) }
        try scan(tag, types, after: min(index.covered, through), through: through, body)
    }

    /// The index may also find events that do not match.
    private func visit(_ position: Position, _ tag: Tag, _ types: Set<EventType>, _ body: (Fact) throws -> Void) throws {
        guard let event = try log.event(at: position), types.contains(event.event.type), event.event.tags.contains(tag) else { return }
        try body(try LoyaltyCodec.decode(event))
    }

    private func scan(_ tag: Tag?, _ types: Set<EventType>, after: Position, through: Position, _ body: (Fact) throws -> Void) throws {
        guard after < through else { return }
        scanned += through.rawValue - after.rawValue
        let wanted = TypeFilter(types)
        try log.scan(after: after, through: through) { (position, record) in
            guard wanted.contains(record.type) else { return true }
            if let tag, !record.has(tag) { return true }
            try body(try LoyaltyCodec.decode(record, at: position))
            return true
        }
    }
}
