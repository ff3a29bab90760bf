/// Suspend a shop. The caller MUST know that the actor is an operator.
public struct SuspendShop: Hashable, Sendable {
    public let shop: ShopID
    public let reason: TypedText

    public init(shop: ShopID, reason: TypedText) { (self.shop, self.reason) = (shop, reason) }
}

extension SuspendShop: ShopDecision {
    /// Cards and codes keep their stamps and their expiry. `ShopStanding` decides what may still happen.
    public func decide(_ situation: Shop?, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let known = try situation.existing()
        try FieldChecks.check { $0.require(reason, within: Limits.reason, "reason") }
        return known.isSuspended ? [] : [.shopSuspended(ShopSuspended(shop: shop, reason: reason))]
    }
}

/// Reinstate a suspended shop. The caller MUST know that the actor is an operator.
public struct ReinstateShop: Hashable, Sendable {
    public let shop: ShopID
    /// May be empty.
    public let reason: TypedText

    public init(shop: ShopID, reason: TypedText) { (self.shop, self.reason) = (shop, reason) }
}

extension ReinstateShop: ShopDecision {
    public func decide(_ situation: Shop?, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let known = try situation.existing()
        try FieldChecks.check { $0.require(reason, within: Limits.reinstatementReason, "reason") }
        return known.isSuspended ? [.shopReinstated(ShopReinstated(shop: shop, reason: reason))] : []
    }
}
