/// What erasing an account depends on.
public struct EraseAccountSituation: Hashable, Sendable {
    public let actor: Account?
    /// The actor's, those that were not ended.
    public let sessions: [Session]
    /// Of the shop that the actor owns.
    public let campaigns: [Campaign]

    public init(actor: Account?, sessions: [Session], campaigns: [Campaign]) {
        self.actor = actor
        self.sessions = sessions
        self.campaigns = campaigns
    }
}
