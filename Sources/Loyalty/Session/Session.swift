/// A refresh-token family: one sign-in on one device.
public struct Session: Hashable, Sendable {
    public let id: SessionID
    public let account: AccountID
    /// Of the only refresh token that is good now.
    public var token: Secret
    public var expiresAt: Instant
    public var isEnded: Bool

    public init(id: SessionID, account: AccountID, token: Secret, expiresAt: Instant, isEnded: Bool) {
        self.id = id
        self.account = account
        self.token = token
        self.expiresAt = expiresAt
        self.isEnded = isEnded
    }
}
