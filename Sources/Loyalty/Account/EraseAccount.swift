/// Erase the actor.
public struct EraseAccount: Hashable, Sendable {
    public init() {}
}

/// The facts that erasing an account needs.
public struct EraseAccountSituation: Hashable, Sendable {
    public let actor: Account?
    /// The actor's, those that were not ended.
    public let sessions: [Session]
    /// The one that the actor owns.
    public let shop: Shop?
    /// The campaigns of that shop.
    public let campaigns: [Campaign]
    /// The shops of others that the actor works for.
    public let employers: [Shop]

    public init(actor: Account?, sessions: [Session], shop: Shop?, campaigns: [Campaign], employers: [Shop]) {
        self.actor = actor
        self.sessions = sessions
        self.shop = shop
        self.campaigns = campaigns
        self.employers = employers
    }
}

extension EraseAccount: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> EraseAccountSituation {
        let account = try past.account(actor)
        let sessions = try past.openSessions(of: actor)
        let employers = try past.employers(of: actor)
        let shop = try past.shop(ownedBy: actor)
        let campaigns = if let shop { try past.campaigns(of: shop.id) } else { [Campaign]() }
        return EraseAccountSituation(actor: account, sessions: sessions, shop: shop, campaigns: campaigns, employers: employers)
    }

    /// A shop closes with its owner, see ``ShopClosed``: its campaigns end, and with them every open code is void. The shop stays for its
    /// reviews and for the cards that customers hold; its staff may redeem full ones for a while.
    ///
    /// Work for other shops ends with the account, as if the actor had left: their open codes are void, and they are nobody's staff.
    ///
    /// The certificate comes last: nothing that an account does follows its erasure.
    public func decide(_ situation: EraseAccountSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil else { throw .notFound }
        let campaigns = situation.campaigns.filter { !$0.isOver(at: now) }.sorted { $0.id < $1.id }
        let employments = situation.employers.sorted { $0.id < $1.id }.map { EmploymentEnded(shop: $0.id, account: actor) }
        return employments.map { .employmentEnded($0) }
            + campaigns.map { .campaignEnded(CampaignEnded(campaign: $0.id, shop: $0.shop)) }
            + (situation.shop.map { [.shopClosed($0.closedWithOwner(at: now))] } ?? [])
            + situation.sessions.endings(at: now) + [.accountErased(AccountErased(account: actor))]
    }
}
