/// What setting a password depends on.
public struct SetPasswordSituation: Hashable, Sendable {
    public let actor: Account?
    /// The actor's, those that were not ended.
    public let sessions: [Session]

    public init(actor: Account?, sessions: [Session]) {
        self.actor = actor
        self.sessions = sessions
    }
}
