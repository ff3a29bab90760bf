/// Hand out the reward for a redemption code; for the owner and staff of the campaign's shops.
public struct Redeem: Hashable, Sendable {
    public let secret: Secret
    /// nil for the shop where the actor works, see ``CampaignShops/place(_:of:)``.
    public let shop: ShopID?

    public init(secret: Secret, shop: ShopID? = nil) { (self.shop, self.secret) = (shop, secret) }
}

/// The facts that handing out a reward and taking it back need.
public struct RedeemSituation: Hashable, Sendable {
    public let redemption: Redemption?
    public let card: Card?
    public let shops: CampaignShops?
    /// nil if the holder was erased.
    public let holder: Account?
    /// nil if it is the campaign's own shop.
    public var place: Shop?

    static func load<P: Past>(_ known: Redemption?, in past: inout P) throws(P.Failure) -> RedeemSituation {
        guard let known else { return RedeemSituation(redemption: nil, card: nil, shops: nil, holder: nil) }
        let campaign = try past.campaign(known.campaign)
        let shops = if let campaign { try CampaignShops.load(of: campaign, in: &past) } else { CampaignShops?.none }
        var situation = RedeemSituation(
            redemption: known, card: try past.card(known.card), shops: shops, holder: try past.account(known.holder))
        if let place = known.redeemedBy, place != known.shop { situation.place = try past.shop(place) }
        return situation
    }

    func mayReverse(_ actor: AccountID) -> Bool { shops?.employs(actor) == true || place?.employs(actor) == true }
}

extension Redeem: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> RedeemSituation {
        try .load(try past.redemption(secret: secret), in: &past)
    }

    /// All faults of code and card get one answer, so that another shop's staff cannot find out whose code it is.
    public func decide(_ situation: RedeemSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let known = situation.redemption, let card = situation.card, let shops = situation.shops,
            known.status(at: now, of: card) == .pending,
            // Staff cannot redeem their own cards where they work, not even through a colleague.
            shops.employs(actor), !shops.employs(card.holder), shops.home.handsOutRewards(at: now),
            // No reward for a holder who was suspended or erased since.
            situation.holder?.isSuspended == false
        else { throw .redemptionNotValid }
        let shop = try place(shops, of: actor)
        let home = card.home(besides: shop.id)
        if let milestone = known.milestone {
            let redeemed = MilestoneRedeemed(
                redemption: known.id, card: card.id, campaign: card.campaign, shop: shop.id, home: home, holder: card.holder,
                milestone: milestone)
            return [.milestoneRedeemed(redeemed)]
        }
        let redeemed = CardRedeemed(
            redemption: known.id, card: card.id, campaign: card.campaign, shop: shop.id, home: home, holder: card.holder)
        return [.cardRedeemed(redeemed)]
    }

    /// A strange shop is refused like an invalid code.
    private func place(_ shops: CampaignShops, of actor: AccountID) throws(Rejection) -> Shop {
        do throws(Rejection) {
            let shop = try shops.place(shop, of: actor)
            guard shops.isOpen(shop) else { throw .redemptionNotValid }
            return shop
        } catch {
            guard case .invalid = error else { throw .redemptionNotValid }
            throw error
        }
    }
}
