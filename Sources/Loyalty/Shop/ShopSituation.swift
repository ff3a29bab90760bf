/// What editing, staffing and suspending a shop depend on.
public struct ShopSituation: Hashable, Sendable {
    public let actor: Account?
    public let shop: Shop?
    /// Whoever is to work there, where somebody is.
    public let member: Account?

    public init(actor: Account?, shop: Shop?, member: Account? = nil) {
        self.actor = actor
        self.shop = shop
        self.member = member
    }
}

extension ShopSituation {
    static func load<P: Past>(
        _ shop: ShopID, member: AccountID? = nil, in past: inout P, by actor: AccountID
    ) throws(P.Failure) -> ShopSituation {
        let account = try past.account(actor)
        let known = try past.shop(shop)
        guard let member else { return ShopSituation(actor: account, shop: known) }
        return ShopSituation(actor: account, shop: known, member: try past.account(member))
    }

    /// The shop, for its owner alone.
    ///
    /// - Throws: `.notFound`, `.forbidden`.
    func owned(by actor: AccountID) throws(Rejection) -> Shop {
        let known = try existing()
        guard known.owner == actor else { throw .forbidden }
        return known
    }

    /// - Throws: `.notFound`.
    func existing() throws(Rejection) -> Shop {
        guard actor != nil, let shop else { throw .notFound }
        return shop
    }
}
