import CommandService
import Composition
import EventLog
import Loyalty
import LoyaltyCodec
import ReadModels
import Search
import WebPages

/// A campaign with its shop.
struct CampaignAnswer: JSONRecord {
    let campaign: Campaign
    let shop: Shop
    /// The other shops where the campaign is valid; empty in lists of shops and writes about a shop. A manager sees all that the campaign
    /// names.
    var shops: [SharedShopAnswer] = []
    /// Decides whether the campaign runs.
    let now: Instant
    /// Lists leave out details, caps, rating and links.
    var withDetails = true
    /// Nil in lists, and in answers that a retry must get unchanged.
    var rating: Rating?
    /// At present, or at the write if a retry must get it unchanged.
    var standing = Standing.new
    /// The reader's own card, if the campaign gives coupons and the reader has claimed one.
    var coupon: CardID?
    /// Nil if the request names no place.
    var distanceMillimeters: Int?

    var fields: JSONFields {
        // An early end counts.
        let end = min(campaign.endsAt, campaign.endedAt ?? campaign.endsAt)
        let title: JSONFields = [
            "id": campaign.id, "kind": campaign.kind.rawValue, "title": campaign.title.open ?? "", "shop": shopFields,
            "image": campaign.image, "distance": IfPresent(distanceMillimeters.map { Double($0) / 1_000 }),
        ]
        let terms: JSONFields = [
            "goal": campaign.shownGoal, "reward": campaign.shownReward, "favorites": standing.favorites,
            "isFavorite": IfPresent(standing.isFavorite), "startsAt": campaign.startsAt, "endsAt": end,
        ]
        let state: JSONFields = [
            "shops": IfPresent(shops.isEmpty ? nil : shops), "running": campaign.isRunning(at: now) && !shop.isSuspended,
            "coupon": IfPresent(coupon),
        ]
        return title + terms + campaign.options.fields + state + (withDetails ? details : [:])
    }

    private var shopFields: JSONFields {
        ["id": shop.id, "name": shop.name, "address": shop.address, "location": shop.location] + shop.look.fields
            + (withDetails ? ratingFields : [:])
    }

    private var ratingFields: JSONFields { ["rating": IfPresent(rating.map(\.average)), "reviewCount": IfPresent(rating?.count)] }

    private var details: JSONFields {
        let terms: JSONFields = [
            "details": campaign.details.open ?? "", "stampsPerDayMax": campaign.caps.stampsPerDayMax,
            "minimumGapSeconds": campaign.caps.minimumGapSeconds,
        ]
        return terms + ratingFields + ["links": shop.location.map { MapLinks(name: shop.name, at: $0) }]
    }
}

extension Campaign {
    /// Only a stamp card has one.
    var shownGoal: Int? { kind == .stampCard ? self.goal : nil }

    var shownReward: String? { self.reward.open.flatMap { $0.isEmpty ? nil : $0 } }
}

/// Another shop of a campaign in answers.
struct SharedShopAnswer: JSONRecord {
    let shop: Shop
    /// Only managers see shops that do not take part now.
    var isOpen = true

    var fields: JSONFields {
        [
            "id": shop.id, "name": shop.name, "address": shop.address, "location": shop.location,
            "open": IfPresent(isOpen ? nil : false),
        ]
    }
}

extension Resources {
    func shops(of card: Card) throws -> [ShopID] {
        let campaign = try existing { try $0.campaign(card.campaign) }
        return try knownShops().idsSharing(campaign)
    }

    /// The newest campaigns, not over, that the owner's other shops share with this one, at most ``Limits/sharedCampaignsShownMax``, from
    /// the search model.
    func campaignIDs(sharedWith shop: ShopID) throws -> [CampaignID] {
        try service.discovery.campaigns(sharedWith: shop, at: now, limit: Limits.sharedCampaignsShownMax)
    }

    /// At most `limit` campaigns that are not over, newest first, the shop's own before shared ones. The search model has the ids, so no
    /// more are read from the log.
    func openCampaigns(at shop: ShopID, limit: Int, _ read: (CampaignID) throws -> Campaign) throws -> [Campaign] {
        let (now, discovery) = (now, service.discovery)
        let own = try discovery.openCampaigns(of: [shop], at: now, limit: limit)[shop] ?? []
        let shared = own.count < limit ? try discovery.campaigns(sharedWith: shop, at: now, limit: limit - own.count) : []
        return try (own + shared).map(read).filter { !$0.isOver(at: now) }
    }

    /// At the campaign's own shop, or another with the same owner.
    func isStaff(_ account: AccountID, of campaign: CampaignID) throws -> Bool { try service.mayGiveStamps(of: campaign, by: account) }
}

extension FieldReader {
    /// Nil if absent: the service then derives the shop from the caller's work places.
    mutating func optionalShop(_ name: String) -> NamedShop? {
        guard let text = optionalString(name) else { return nil }
        let shop = ShopID(text: text).map { NamedShop($0) }
        if shop == nil { complain(name, .rule(.otherCampaignShop)) }
        return shop
    }

    mutating func optionalShops(_ name: String) -> [ShopID]? { optionalStrings(name).map { shops(in: $0, name) } }

    mutating func changedShops(_ name: String) -> Change<[ShopID]> {
        guard let content = object.field(name) else { return .unchanged }
        if case .null = content { return .removed }
        return .set(optionalShops(name) ?? [])
    }

    /// A text that is no id counts as an unknown shop. A list too long for any campaign is refused as a whole, so that the answer has no
    /// thousands of faults.
    private mutating func shops(in texts: [String], _ name: String) -> [ShopID] {
        guard texts.count <= Loyalty.Limits.namedShops else {
            complain(name, .rule(.sharedShops(max: Loyalty.Limits.sharedShops)))
            return []
        }
        return texts.enumerated().compactMap { place, text in
            let shop = ShopID(text: text)
            if shop == nil { complain("\(name)/\(place)", .rule(.strangeShop)) }
            return shop
        }
    }
}

extension CanonicalRequest {
    /// Adds the shop only if named, so that requests of older clients keep their content.
    mutating func add(shop: NamedShop?) {
        guard let shop else { return }
        add("shop")
        add(shop.id.value)
    }

    mutating func add(shops: [ShopID]) {
        add("shops")
        add(shops.count)
        for shop in shops { add(shop.value) }
    }
}

/// The shops of one answer, each read and decrypted once: campaigns may name fifty shops, mostly the same. Belongs to one request.
final class KnownShops {
    private let read: (ShopID) throws -> Shop
    private let unseal: (Shop) throws -> Shop
    private var asRead: [ShopID: Shop] = [:]
    private var inTheClear: [ShopID: Shop] = [:]

    init(read: @escaping (ShopID) throws -> Shop, unseal: @escaping (Shop) throws -> Shop) { (self.read, self.unseal) = (read, unseal) }

    /// With sealed contact data, for code that needs only state or owner.
    func stored(_ id: ShopID) throws -> Shop {
        if let known = asRead[id] { return known }
        let shop = try read(id)
        asRead[id] = shop
        return shop
    }

    func shop(_ id: ShopID) throws -> Shop {
        if let known = inTheClear[id] { return known }
        let shop = try unseal(try stored(id))
        inTheClear[id] = shop
        return shop
    }

    /// Other shops where a campaign is valid now.
    func sharing(_ campaign: Campaign) throws -> [SharedShopAnswer] {
        try idsSharing(campaign).map { SharedShopAnswer(shop: try shop($0)) }
    }

    /// All other shops that a campaign names, for managers: an edit replaces the list, and would remove closed ones unnoticed.
    func named(by campaign: Campaign) throws -> [SharedShopAnswer] {
        let open = Set(try idsSharing(campaign))
        return try campaign.options.shops.map { SharedShopAnswer(shop: try shop($0), isOpen: open.contains($0)) }
    }

    /// Other shops where a campaign is valid now.
    func idsSharing(_ campaign: Campaign) throws -> [ShopID] {
        guard !campaign.options.shops.isEmpty else { return [] }
        let shops = CampaignShops(home: try stored(campaign.shop), named: try campaign.options.shops.map(stored))
        return shops.open.dropFirst().map(\.id)
    }
}

extension Resources {
    func knownShops(through position: Position? = nil) -> KnownShops {
        KnownShops(read: { id in try existing(through: position) { try $0.shop(id) } }, unseal: { try service.opened($0) })
    }
}
