/// A refresh-token family: one sign-in on one device.
public struct Session: Hashable, Sendable {
    public let id: SessionID
    public let account: AccountID
    /// Of the only refresh token that is good now.
    public var token: Secret
    public var expiresAt: Instant
    /// Of the newest ``Limits/spentTokensMax`` refresh tokens that were good once, oldest first: who shows one of them has a copy.
    public var spent: [Secret] = []
    public var isEnded: Bool
    public let startedAt: Instant
    /// When the newest token was made.
    public var refreshedAt: Instant

    public init(id: SessionID, account: AccountID, token: Secret, expiresAt: Instant, isEnded: Bool, startedAt: Instant) {
        self.id = id
        self.account = account
        self.token = token
        self.expiresAt = expiresAt
        self.isEnded = isEnded
        self.startedAt = startedAt
        refreshedAt = startedAt
    }

    /// The session as lists of open ones have it: nobody asks them for tokens that were good once, of which there may be thousands.
    public var withoutSpentTokens: Session {
        var session = self
        session.spent = []
        return session
    }
}
