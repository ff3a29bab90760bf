/// What editing, staffing and suspending a shop depend on.
public struct ShopSituation: Hashable, Sendable {
    public let actor: Account?
    public let shop: Shop?

    public init(actor: Account?, shop: Shop?) {
        self.actor = actor
        self.shop = shop
    }
}

extension ShopSituation {
    static func load<P: Past>(_ shop: ShopID, in past: inout P, by actor: AccountID) throws(P.Failure) -> ShopSituation {
        ShopSituation(actor: try past.account(actor), shop: try past.shop(shop))
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
