import CommandService
import Composition
import EventLog
import Loyalty

/// The shops of one answer, each read and decrypted once: campaigns may name fifty shops, mostly the same. Belongs to one request.
final class KnownShops {
    private let read: (ShopID) throws -> Shop
    private let unseal: (Shop) throws -> Shop
    private var asRead: [ShopID: Shop] = [:]
    private var inTheClear: [ShopID: Shop] = [:]

    init(read: @escaping (ShopID) throws -> Shop, unseal: @escaping (Shop) throws -> Shop) {
        (self.read, self.unseal) = (read, unseal)
    }

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
