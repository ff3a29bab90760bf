/// The shops of a campaign: its own, and the other shops that its terms name.
///
/// Cards are collected and redeemed at any of them. Another shop takes part while it has the same owner as the campaign's own shop and is
/// neither closed nor suspended, judged at the time of each decision. So a shop that is sold no longer takes part, and it takes part again
/// when both shops have one owner again. A command at another shop must also be allowed by the state of the campaign's own shop, see
/// ``Command/refusal(of:in:by:at:)``.
///
/// A person's role is valid only at the shop that gave it. So a member of one shop issues and redeems at that shop, not at the campaign's
/// other shops.
public struct CampaignShops: Hashable, Sendable {
    /// The campaign's own shop.
    public let home: Shop
    /// The other shops that the campaign's terms name, whether they take part now or not.
    public let named: [Shop]

    public init(home: Shop, named: [Shop] = []) {
        (self.home, self.named) = (home, named)
    }
}

extension CampaignShops {
    /// Looks up the shops of a campaign.
    ///
    /// - Parameter known: a shop that was looked up before. If it is the campaign's own shop, it is not looked up again.
    /// - Returns: nil if the campaign's own shop does not exist.
    static func load<P: Past>(of campaign: Campaign, knowing known: Shop? = nil, in past: inout P) throws(P.Failure) -> CampaignShops? {
        let ids = campaign.options.shops
        let home = if let known, known.id == campaign.shop { known } else { try past.shop(campaign.shop) }
        guard let home else { return nil }
        return CampaignShops(home: home, named: try .load(ids, in: &past))
    }

    /// The campaign's own shop, and those of ``named`` that have the same owner, including suspended and closed shops. People who work for
    /// one of them cannot be customers of the campaign.
    private var brand: [Shop] { [home] + named.filter { $0.owner == home.owner } }

    /// Whether the shop takes part in the campaign now. The campaign's own shop always takes part: its state is checked elsewhere, see
    /// ``Command/refusal(of:in:by:at:)``.
    public func isOpen(_ shop: Shop) -> Bool {
        shop.id == home.id || shop.owner == home.owner && shop.closing == nil && !shop.isSuspended
    }

    /// The campaign's own shop, and those of its other shops that take part now.
    public var open: [Shop] { [home] + named.filter(isOpen) }

    /// Whether the account owns or works for one of the shops in ``brand``.
    public func employs(_ account: AccountID) -> Bool { brand.contains { $0.employs(account) } }

    /// The shop at which a person issues codes or hands out rewards for the campaign.
    ///
    /// - Parameter wanted: the shop that the actor names. If the actor names none, as older clients do, the campaign's own shop is meant if
    ///   the actor works there, and otherwise the other shop where the actor works.
    /// - Throws: `.forbidden` if the actor does not work at the wanted shop, or at none of the campaign's shops. `.invalid` if the campaign
    ///   does not have the wanted shop, or if `wanted` is nil and the actor works at several of the other shops that take part now.
    public func place(_ wanted: ShopID?, of actor: AccountID) throws(Rejection) -> Shop {
        let own = brand.filter { $0.employs(actor) }
        guard let first = own.first else { throw .forbidden }
        if let wanted {
            guard let shop = brand.first(where: { $0.id == wanted }) else {
                throw .invalid([InvalidField(field: "shop", fault: .otherCampaignShop)])
            }
            guard shop.employs(actor) else { throw .forbidden }
            return shop
        }
        if home.employs(actor) { return home }
        // The actor must choose only between shops that take part now. If none takes part, the result is a shop that does not take part,
        // and the caller refuses the command because of that shop's state.
        let open = own.filter(isOpen)
        guard open.count <= 1 else { throw .invalid([InvalidField(field: "shop", fault: .severalShops)]) }
        return open.first ?? first
    }
}

extension [Shop] {
    /// The existing shops with these ids. Reads at most one id more than a campaign may name, which is enough to refuse a longer list.
    static func load<P: Past>(_ ids: [ShopID], in past: inout P) throws(P.Failure) -> [Shop] {
        var shops: [Shop] = []
        for id in ids.prefix(Limits.sharedShops + 1) {
            if let shop = try past.shop(id) { shops.append(shop) }
        }
        return shops
    }
}

extension Campaign {
    /// The campaign's own shop, for an event at another shop; nil for an event at the campaign's own shop.
    func home(besides place: ShopID) -> ShopID? { place == shop ? nil : shop }
}

extension Card {
    /// The own shop of the card's campaign, for an event at another shop; nil for an event at the campaign's own shop.
    func home(besides place: ShopID) -> ShopID? { place == shop ? nil : shop }
}

extension CampaignOptions {
    /// The options in the form in which events store them: the ids of the other shops ascend, and the campaign's own shop is left out.
    func ordered(at home: ShopID) -> CampaignOptions {
        var options = self
        options.shops = shops.filter { $0 != home }.sorted()
        return options
    }
}

extension FieldChecks {
    /// Requires that the actor may share a campaign with these shops. All must have one owner, and the actor must be at least a manager of
    /// each.
    ///
    /// For a shop that does not exist, and for a shop of another owner, the fault is the same, so that nobody can find out about shops by
    /// trying.
    ///
    /// - Parameters:
    ///   - ids: the shops as the request names them. The campaign's own shop may be among them.
    ///   - known: the existing shops with one of these ids.
    ///   - before: the other shops that the campaign already names. They are not checked again: a shop that was suspended, closed or sold
    ///     since must not prevent changes of the other shops.
    mutating func require(shared ids: [ShopID], _ known: [Shop], at home: Shop, by actor: AccountID, besides before: [ShopID] = []) {
        guard Set(ids).subtracting([home.id]).count <= Limits.sharedShops, ids.count <= Limits.namedShops else {
            return require(false, "shops", .sharedShops(max: Limits.sharedShops))
        }
        let known = Dictionary(known.map { ($0.id, $0) }) { first, _ in first }
        var seen: Set<ShopID> = []
        for (place, id) in ids.enumerated() {
            let isNew = seen.insert(id).inserted
            let fault = !isNew ? .repeatedShop : before.contains(id) ? nil : Self.fault(known[id], id, at: home, by: actor)
            if let fault { require(false, "shops/\(place)", fault) }
        }
    }

    private static func fault(_ shop: Shop?, _ id: ShopID, at home: Shop, by actor: AccountID) -> FieldFault? {
        if id == home.id { return nil }
        guard let shop, shop.owner == home.owner, let role = shop.role(of: actor), role >= .manager else { return .strangeShop }
        if shop.closing != nil { return .closedShop }
        return shop.isSuspended ? .suspendedShop : nil
    }
}
