/// Hand out the reward against a redemption code; owner or staff of the card's shop.
public struct Redeem: Hashable, Sendable {
    /// Keyed hash of the typed code.
    public let secret: Secret

    public init(secret: Secret) {
        self.secret = secret
    }
}

/// The facts that handing out a reward needs.
public struct RedeemSituation: Hashable, Sendable {
    public let actor: Account?
    /// The redemption with the typed code; nil if there is none.
    public let redemption: Redemption?
    /// The card that the redemption is for; nil if there is none.
    public let card: Card?
    /// The shop of the redemption; nil if there is none.
    public let shop: Shop?
    /// The card's holder; loaded only if the reward may be handed out.
    public let holder: Account?

    public init(actor: Account?, redemption: Redemption?, card: Card?, shop: Shop?, holder: Account? = nil) {
        self.actor = actor
        self.redemption = redemption
        self.card = card
        self.shop = shop
        self.holder = holder
    }
}

extension Redeem: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> RedeemSituation {
        let account = try past.account(actor)
        guard let known = try past.redemption(secret: secret) else {
            return RedeemSituation(actor: account, redemption: nil, card: nil, shop: nil)
        }
        return RedeemSituation(
            actor: account, redemption: known, card: try past.card(known.card), shop: try past.shop(known.shop),
            holder: try past.account(known.holder))
    }

    /// A redemption code works once, for the newest request of a full card or of a milestone that it has reached, at the card's own shop.
    /// Everything that can be wrong is one answer: another shop's staff learns nothing about whose code it is.
    public func decide(_ situation: RedeemSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil else { throw .notFound }
        guard let known = situation.redemption, let card = situation.card, let shop = situation.shop,
            known.status(at: now, of: card) == .pending,
            // Nobody redeems a card of a shop that they work for, whether or not they type the code. A holder who was hired after the
            // request keeps the card until they leave. So the actor is never the holder either.
            shop.employs(actor), !shop.employs(card.holder), shop.handsOutRewards(at: now),
            // A code that a suspended person requested before the suspension gets no reward; the card stays full.
            situation.holder?.isSuspended != true
        else { throw .redemptionNotValid }
        if let milestone = known.milestone {
            return [
                .milestoneRedeemed(
                    MilestoneRedeemed(
                        redemption: known.id, card: card.id, campaign: card.campaign, shop: card.shop, holder: card.holder,
                        milestone: milestone))
            ]
        }
        return [
            .cardRedeemed(
                CardRedeemed(
                    redemption: known.id, card: card.id, campaign: card.campaign, shop: card.shop, holder: card.holder))
        ]
    }
}
