import CommandService
import Composition
import EventLog
import Loyalty
import LoyaltyCodec
import Search

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
    /// The other shops where a card can be stamped and redeemed now.
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
        // One that just ended may still be open in the search model.
        return try (own + shared).map(read).filter { !$0.isOver(at: now) }
    }

    /// At the campaign's own shop, or another with the same owner.
    func isStaff(_ account: AccountID, of campaign: CampaignID) throws -> Bool {
        try service.mayGiveStamps(of: campaign, by: account)
    }
}

extension FieldReader {
    /// Nil if absent: the service then derives the shop from the caller's work places.
    mutating func optionalShop(_ name: String) -> NamedShop? {
        guard let text = optionalString(name) else { return nil }
        let shop = ShopID(text: text).map { NamedShop($0) }
        if shop == nil { complain(name, .rule(.otherCampaignShop)) }
        return shop
    }

    mutating func optionalShops(_ name: String) -> [ShopID]? {
        optionalStrings(name).map { shops(in: $0, name) }
    }

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
