/// Hand out the reward for a redemption code. Only the owner and staff of the campaign's shops may do so.
public struct Redeem: Hashable, Sendable {
    /// Keyed hash of the typed code.
    public let secret: Secret
    /// The shop that hands the reward out; nil for the shop where the actor works, see ``CampaignShops/place(_:of:)``.
    public let shop: ShopID?

    public init(secret: Secret, shop: ShopID? = nil) {
        self.shop = shop
        self.secret = secret
    }
}

/// The facts that handing out a reward, or taking it back, needs.
public struct RedeemSituation: Hashable, Sendable {
    public let actor: Account?
    /// The redemption that the command names, by the hash of its code or by its id; nil if there is none.
    public let redemption: Redemption?
    /// The card that the redemption is for; nil without a redemption.
    public let card: Card?
    /// The shops of the redemption's campaign; nil without a redemption.
    public let shops: CampaignShops?
    /// The card's holder; nil if the holder was erased, or without a redemption.
    public let holder: Account?
    /// The shop that handed the reward out, if it is not the campaign's own shop; otherwise nil.
    public var place: Shop?

    public init(actor: Account?, redemption: Redemption?, card: Card?, shops: CampaignShops?, holder: Account? = nil) {
        self.actor = actor
        self.redemption = redemption
        self.card = card
        self.shops = shops
        self.holder = holder
    }
}

extension RedeemSituation {
    static func load<P: Past>(_ known: Redemption?, in past: inout P, by actor: AccountID) throws(P.Failure) -> RedeemSituation {
        let account = try past.account(actor)
        guard let known else { return RedeemSituation(actor: account, redemption: nil, card: nil, shops: nil) }
        let campaign = try past.campaign(known.campaign)
        let shops = if let campaign { try CampaignShops.load(of: campaign, in: &past) } else { CampaignShops?.none }
        var situation = RedeemSituation(
            actor: account, redemption: known, card: try past.card(known.card), shops: shops, holder: try past.account(known.holder))
        if let place = known.redeemedBy, place != known.shop { situation.place = try past.shop(place) }
        return situation
    }

    /// Whether the account works for a shop that may take the reward back: one of the campaign's shops, or the shop that handed the reward
    /// out.
    func mayReverse(_ actor: AccountID) -> Bool { shops?.employs(actor) == true || place?.employs(actor) == true }
}

extension Redeem: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> RedeemSituation {
        try .load(try past.redemption(secret: secret), in: &past, by: actor)
    }

    /// A redemption code works once, at any shop of the campaign, and only if the card has no newer code. The card must be full, or have
    /// reached the requested milestone. All faults of the code and the card have the same answer, so that another shop's staff cannot find
    /// out whose code it is.
    public func decide(_ situation: RedeemSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil else { throw .notFound }
        guard let known = situation.redemption, let card = situation.card, let shops = situation.shops,
            known.status(at: now, of: card) == .pending,
            // Staff cannot redeem their own cards where they work, not even if a colleague types the code. A holder who was hired after the
            // request gets the reward only after leaving the shop. So the actor, who works there, is never the holder.
            shops.employs(actor), !shops.employs(card.holder), shops.home.handsOutRewards(at: now),
            // If the holder was suspended after requesting the code, there is no reward, and the card stays as it is. There is no reward
            // for an erased holder either, because nobody holds the card any more.
            situation.holder?.isSuspended == false
        else { throw .redemptionNotValid }
        let shop = try place(shops, of: actor)
        let home = card.home(besides: shop.id)
        if let milestone = known.milestone {
            return [
                .milestoneRedeemed(
                    MilestoneRedeemed(
                        redemption: known.id, card: card.id, campaign: card.campaign, shop: shop.id, home: home, holder: card.holder,
                        milestone: milestone))
            ]
        }
        return [
            .cardRedeemed(
                CardRedeemed(
                    redemption: known.id, card: card.id, campaign: card.campaign, shop: shop.id, home: home, holder: card.holder))
        ]
    }

    /// The shop that hands the reward out. An actor who does not work at the campaign's own shop, but at several of its other open shops,
    /// must name one. If the actor does not work at the named shop, or the shop does not take part in the campaign now, the refusal is the
    /// same as for a code that is not valid.
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
