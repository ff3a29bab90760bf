/// What signing out everywhere depends on.
public struct EndSessionsSituation: Hashable, Sendable {
    public let actor: Account?
    /// The actor's, those that were not ended.
    public let sessions: [Session]

    public init(actor: Account?, sessions: [Session]) {
        self.actor = actor
        self.sessions = sessions
    }
}
