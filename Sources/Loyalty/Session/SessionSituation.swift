/// What refreshing and ending a session depend on.
public struct SessionSituation: Hashable, Sendable {
    public let actor: Account?
    public let session: Session?

    public init(actor: Account?, session: Session?) {
        self.actor = actor
        self.session = session
    }
}

extension SessionSituation {
    static func load<P: Past>(_ id: SessionID, in past: inout P, by actor: AccountID) throws(P.Failure) -> SessionSituation {
        SessionSituation(actor: try past.account(actor), session: try past.session(id))
    }
}
