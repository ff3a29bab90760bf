/// What erasing an account depends on.
public struct EraseAccountSituation: Hashable, Sendable {
    public let actor: Account?
    /// The actor's, those that were not ended.
    public let sessions: [Session]
    /// The one that the actor owns.
    public let shop: Shop?
    /// Of that shop.
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
