import CommandService
import Composition
import EventLog
import Loyalty

/// The shops of one answer, each read and opened once.
///
/// Campaigns of one page may name fifty shops each, mostly the same ones. It belongs to one request.
final class KnownShops {
    private let read: (ShopID) throws -> Shop
    private let unseal: (Shop) throws -> Shop
    private var asRead: [ShopID: Shop] = [:]
    private var inTheClear: [ShopID: Shop] = [:]

    /// - Parameters:
    ///   - read: finds a shop as the log has it.
    ///   - unseal: puts its contact data in the clear.
    init(read: @escaping (ShopID) throws -> Shop, unseal: @escaping (Shop) throws -> Shop) {
        (self.read, self.unseal) = (read, unseal)
    }

    /// A shop as the log has it, for its state and owner.
    func stored(_ id: ShopID) throws -> Shop {
        if let known = asRead[id] { return known }
        let shop = try read(id)
        asRead[id] = shop
        return shop
    }

    /// A shop with its contact data in the clear.
    func shop(_ id: ShopID) throws -> Shop {
        if let known = inTheClear[id] { return known }
        let shop = try unseal(try stored(id))
        inTheClear[id] = shop
        return shop
    }

    /// The other shops at which a campaign works now; none for a campaign of one shop.
    func sharing(_ campaign: Campaign) throws -> [SharedShopAnswer] {
        try idsSharing(campaign).map { SharedShopAnswer(shop: try shop($0)) }
    }

    /// The other shops that a campaign names, as its managers see them: those that take no part now, too. An editor who left them out of
    /// an edit would drop them unawares.
    func named(by campaign: Campaign) throws -> [SharedShopAnswer] {
        let open = Set(try idsSharing(campaign))
        return try campaign.options.shops.map { SharedShopAnswer(shop: try shop($0), isOpen: open.contains($0)) }
    }

    /// The ids of those shops.
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
