/// What erasing an account depends on.
public struct EraseAccountSituation: Hashable, Sendable {
    public let actor: Account?
    /// The actor's, those that were not ended.
    public let sessions: [Session]
    /// The one that the actor owns.
    public let shop: Shop?
    /// Of that shop.
    public let campaigns: [Campaign]

    public init(actor: Account?, sessions: [Session], shop: Shop?, campaigns: [Campaign]) {
        self.actor = actor
        self.sessions = sessions
        self.shop = shop
        self.campaigns = campaigns
    }
}
