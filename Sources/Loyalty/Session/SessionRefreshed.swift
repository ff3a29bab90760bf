/// The refresh token was spent and replaced.
public struct SessionRefreshed: Hashable, Sendable {
    public let session: SessionID
    public let account: AccountID
    /// Keyed hash of the new token.
    public let token: Secret
    public let expiresAt: Instant

    public init(session: SessionID, account: AccountID, token: Secret, expiresAt: Instant) {
        self.session = session
        self.account = account
        self.token = token
        self.expiresAt = expiresAt
    }
}
