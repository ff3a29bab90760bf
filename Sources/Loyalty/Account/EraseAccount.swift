/// Erase the actor's own account.
///
/// An owner may have a hundred open shops with a thousand campaigns each. One decision about all of them would keep everybody else waiting.
/// So such an erasure is prepared in steps: each closes one shop, and the last command finds nearly all shops closed.
public struct EraseAccount: Hashable, Sendable {
    /// The shop that this step closes, without erasing anything; `nil` for the erasure itself, which also closes all shops that are open.
    public let closing: ShopID?

    public init(closing: ShopID? = nil) {
        self.closing = closing
    }
}

/// The facts that erasing an account needs.
public struct EraseAccountSituation: Hashable, Sendable {
    public let actor: Account?
    /// The sessions of the actor that have not ended.
    public let sessions: [Session]
    /// All shops that the actor owns, including closed ones.
    public let shops: [Shop]
    /// All campaigns of the actor's shops, except shops that have closed.
    public let campaigns: [Campaign]
    /// The shops of other owners that the actor works for.
    public let employers: [Shop]

    public init(actor: Account?, sessions: [Session], shops: [Shop], campaigns: [Campaign], employers: [Shop]) {
        self.actor = actor
        self.sessions = sessions
        self.shops = shops
        self.campaigns = campaigns
        self.employers = employers
    }
}

extension EraseAccount: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> EraseAccountSituation {
        let account = try past.account(actor)
        if let closing {
            guard let shop = try past.shop(closing), shop.owner == actor, shop.closing == nil else {
                return EraseAccountSituation(actor: account, sessions: [], shops: [], campaigns: [], employers: [])
            }
            return EraseAccountSituation(
                actor: account, sessions: [], shops: [shop], campaigns: try past.campaigns(of: closing), employers: [])
        }
        let sessions = try past.openSessions(of: actor)
        let employers = try past.employers(of: actor)
        let shops = try past.shops(ownedBy: actor)
        var campaigns: [Campaign] = []
        // Campaigns of a shop that has closed have already ended.
        for shop in shops where shop.closing == nil { campaigns += try past.campaigns(of: shop.id) }
        return EraseAccountSituation(actor: account, sessions: sessions, shops: shops, campaigns: campaigns, employers: employers)
    }

    /// All shops of the account close, see ``ShopClosed``: their campaigns and offers end, and every open code becomes void, see
    /// ``Code/status(at:of:home:)``. The shops still exist for their reviews and for the cards that customers hold. The staff of a shop may
    /// redeem full cards until the date that the event ``ShopClosed`` names.
    ///
    /// The actor's work for the shops of other owners ends too, as if the actor had left: the open codes that the actor issued become void,
    /// and the actor is no longer staff.
    ///
    /// The certificate, ``AccountErased``, comes last, so that no event of the account follows its erasure.
    ///
    /// A step that closes one shop ends its campaigns and offers, and leaves its contact data to the erasure. It does nothing unless the
    /// shop is an open one of the actor's.
    public func decide(_ situation: EraseAccountSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil else { throw .notFound }
        let campaigns = situation.campaigns.filter { !$0.isOver(at: now) }.sorted { $0.id < $1.id }
        let shops = situation.shops.sorted { $0.id < $1.id }
        let employments = situation.employers.sorted { $0.id < $1.id }.map { EmploymentEnded(shop: $0.id, account: actor) }
        let ends = campaigns.map { LoyaltyEvent.campaignEnded(CampaignEnded(campaign: $0.id, shop: $0.shop)) }
        let closings = shops.map { LoyaltyEvent.shopClosed($0.closedWithOwner(at: now, erasesContact: closing == nil)) }
        let ofShops = ends + shops.flatMap { $0.endingOffers(at: now) } + closings
        guard closing == nil else { return ofShops }
        return employments.map { .employmentEnded($0) } + ofShops
            + situation.sessions.endings() + [.accountErased(AccountErased(account: actor))]
    }
}
