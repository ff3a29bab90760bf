/// Begin a refresh-token family for the actor.
public struct StartSession: Hashable, Sendable {
    public let session: SessionID
    public let token: Secret
    public let expiresAt: Instant

    public init(session: SessionID, token: Secret, expiresAt: Instant) {
        self.session = session
        self.token = token
        self.expiresAt = expiresAt
    }
}
