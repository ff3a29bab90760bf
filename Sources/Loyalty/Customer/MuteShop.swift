/// Get no more notices from a shop.
public struct MuteShop: Hashable, Sendable {
    public let shop: ShopID

    public init(shop: ShopID) { self.shop = shop }
}

/// Get a shop's notices again.
public struct UnmuteShop: Hashable, Sendable {
    public let shop: ShopID

    public init(shop: ShopID) { self.shop = shop }
}

/// The facts that muting or unmuting a shop needs.
public struct MuteSituation: Hashable, Sendable {
    public let shop: Shop?
    public let isMuted: Bool

    static func load<P: Past>(_ shop: ShopID, in past: inout P, by actor: AccountID) throws(P.Failure) -> MuteSituation {
        MuteSituation(shop: try past.shop(shop), isMuted: try past.has(Mute(account: actor, shop: shop)))
    }
}

extension MuteShop: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> MuteSituation {
        try .load(shop, in: &past, by: actor)
    }

    /// Any shop can be muted, even without a card there.
    public func decide(_ situation: MuteSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.shop != nil else { throw .notFound }
        return situation.isMuted ? [] : [.shopMuted(ShopMuted(shop: shop, account: actor))]
    }
}

extension UnmuteShop: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> MuteSituation {
        try .load(shop, in: &past, by: actor)
    }

    public func decide(_ situation: MuteSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.shop != nil else { throw .notFound }
        return situation.isMuted ? [.shopUnmuted(ShopUnmuted(shop: shop, account: actor))] : []
    }
}
