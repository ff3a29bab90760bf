/// Erase the actor's own account.
///
/// To keep the writer responsive, earlier steps close one of its shops each.
public struct EraseAccount: Hashable, Sendable {
    /// The only effect of a step; `nil` for the erasure itself.
    public let closing: ShopID?

    public init(closing: ShopID? = nil) { self.closing = closing }
}

/// The facts that erasing an account needs.
public struct EraseAccountSituation: Hashable, Sendable {
    public let sessions: [Session]
    /// Includes closed shops.
    public let shops: [Shop]
    public let campaigns: [Campaign]
    public let employers: [Shop]
}

extension EraseAccount: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> EraseAccountSituation {
        if let closing {
            guard let shop = try past.shop(closing), shop.owner == actor, shop.closing == nil else {
                return EraseAccountSituation(sessions: [], shops: [], campaigns: [], employers: [])
            }
            return EraseAccountSituation(sessions: [], shops: [shop], campaigns: try past.campaigns(of: closing), employers: [])
        }
        let sessions = try past.openSessions(of: actor)
        let employers = try past.employers(of: actor)
        let shops = try past.shops(ownedBy: actor)
        var campaigns: [Campaign] = []
        for shop in shops where shop.closing == nil { campaigns += try past.campaigns(of: shop.id) }
        return EraseAccountSituation(sessions: sessions, shops: shops, campaigns: campaigns, employers: employers)
    }

    /// Closed shops still exist for their reviews and for customers' cards. ``AccountErased`` comes last, so that no event of the account
    /// follows it.
    public func decide(_ situation: EraseAccountSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
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
