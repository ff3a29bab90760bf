import CommandService
import Composition
import EventLog
import Loyalty

/// The shops of one answer. Each shop is read and decrypted only once, because each campaign in the answer may name fifty shops, and most
/// campaigns name the same shops.
///
/// An instance belongs to one request.
final class KnownShops {
    private let read: (ShopID) throws -> Shop
    private let unseal: (Shop) throws -> Shop
    private var asRead: [ShopID: Shop] = [:]
    private var inTheClear: [ShopID: Shop] = [:]

    /// - Parameters:
    ///   - read: reads a shop from the log, with sealed contact data.
    ///   - unseal: returns the shop with decrypted contact data.
    init(read: @escaping (ShopID) throws -> Shop, unseal: @escaping (Shop) throws -> Shop) {
        (self.read, self.unseal) = (read, unseal)
    }

    /// A shop with its contact data still encrypted, for code that needs only the shop's state or owner.
    func stored(_ id: ShopID) throws -> Shop {
        if let known = asRead[id] { return known }
        let shop = try read(id)
        asRead[id] = shop
        return shop
    }

    /// A shop with decrypted contact data.
    func shop(_ id: ShopID) throws -> Shop {
        if let known = inTheClear[id] { return known }
        let shop = try unseal(try stored(id))
        inTheClear[id] = shop
        return shop
    }

    /// The other shops at which a campaign is valid now; empty for a campaign of one shop.
    func sharing(_ campaign: Campaign) throws -> [SharedShopAnswer] {
        try idsSharing(campaign).map { SharedShopAnswer(shop: try shop($0)) }
    }

    /// All other shops that a campaign names, for its managers. Shops that do not take part now are included, because an edit replaces the
    /// whole list, and would otherwise remove them unnoticed.
    func named(by campaign: Campaign) throws -> [SharedShopAnswer] {
        let open = Set(try idsSharing(campaign))
        return try campaign.options.shops.map { SharedShopAnswer(shop: try shop($0), isOpen: open.contains($0)) }
    }

    /// The ids of the other shops at which a campaign is valid now.
    func idsSharing(_ campaign: Campaign) throws -> [ShopID] {
        guard !campaign.options.shops.isEmpty else { return [] }
        let shops = CampaignShops(home: try stored(campaign.shop), named: try campaign.options.shops.map(stored))
        return shops.open.dropFirst().map(\.id)
    }
}

extension Resources {
    /// The shops of one answer, now or in their state at a position.
    func knownShops(through position: Position? = nil) -> KnownShops {
        KnownShops(read: { id in try existing(through: position) { try $0.shop(id) } }, unseal: { try service.opened($0) })
    }
}
