import CommandService
import Composition
import EventLog
import Loyalty
import LoyaltyCodec
import Search

/// Another shop that a campaign names, as answers show it.
struct SharedShopAnswer: JSONWritable {
    /// The shop, with its contact data decrypted.
    let shop: Shop
    /// Whether the shop takes part in the campaign now. Only managers see shops that do not.
    var isOpen = true

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("id", shop.id)
            $0.field("name", shop.name)
            $0.field("address", shop.address)
            if let place = shop.location { $0.field("location", CoordinateAnswer(coordinate: place)) } else { $0.null("location") }
            if !isOpen { $0.field("open", false) }
        }
    }
}

extension Resources {
    /// The ids of the other shops at which a card can be stamped and redeemed now.
    func shops(of card: Card) throws -> [ShopID] {
        let campaign = try existing { try $0.campaign(card.campaign) }
        return try knownShops().idsSharing(campaign)
    }

    /// The ids of the newest campaigns of the owner's other shops that are shared with this shop and are not over, at most
    /// ``Limits/sharedCampaignsShownMax``. The search model has them, so no campaign is read from the log.
    func campaignIDs(sharedWith shop: ShopID) throws -> [CampaignID] {
        try service.discovery.campaigns(sharedWith: shop, at: now, limit: Limits.sharedCampaignsShownMax)
    }

    /// At most `limit` campaigns that are not over. The shop's own campaigns come first, from the newest. After them come the campaigns
    /// that the owner's other shops share with this shop, also from the newest.
    ///
    /// The search model has the ids of such campaigns. So at most `limit` campaigns are read from the log, however many campaigns the shop
    /// ever had.
    ///
    /// - Parameter read: reads a campaign from the log.
    func openCampaigns(at shop: ShopID, limit: Int, _ read: (CampaignID) throws -> Campaign) throws -> [Campaign] {
        let (now, discovery) = (now, service.discovery)
        let own = try discovery.openCampaigns(of: [shop], at: now, limit: limit)[shop] ?? []
        let shared = own.count < limit ? try discovery.campaigns(sharedWith: shop, at: now, limit: limit - own.count) : []
        // A campaign that ended a moment ago may still be open in the search model.
        return try (own + shared).map(read).filter { !$0.isOver(at: now) }
    }

    /// Whether an account owns or works for the campaign's own shop, or one of its other shops that have the same owner.
    func isStaff(_ account: AccountID, of campaign: CampaignID) throws -> Bool {
        try service.mayGiveStamps(of: campaign, by: account)
    }
}

/// Reads ids of shops from request bodies.
extension FieldReader {
    /// Reads the shop at which an act takes place, such as giving a stamp. Nil if the field is absent: the service then derives the shop
    /// from the shops at which the caller works.
    mutating func optionalShop(_ name: String) -> NamedShop? {
        guard let text = optionalString(name) else { return nil }
        let shop = ShopID(text: text).map { NamedShop($0) }
        if shop == nil { complain(name, .rule(.otherCampaignShop)) }
        return shop
    }

    mutating func optionalShops(_ name: String) -> [ShopID]? {
        optionalStrings(name).map { shops(in: $0, name) }
    }

    /// Reads a list of shops that an edit may change or remove.
    mutating func changedShops(_ name: String) -> Change<[ShopID]> {
        guard let content = object.field(name) else { return .unchanged }
        if case .null = content { return .removed }
        return .set(optionalShops(name) ?? [])
    }

    /// Parses the ids of shops. A text that is not a shop's id is treated like the id of a shop that does not exist. A list that is too
    /// long for any campaign is refused as a whole, so that the answer does not list a fault for each of thousands of texts.
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
    /// Adds the shop at which an act takes place to the canonical content, if the request names a shop. So a request from an older client,
    /// which never names a shop, has the same content as before, and its retry is recognised.
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
