/// An account signed in, which begins a session.
public struct SessionStarted: Hashable, Sendable {
    public let session: SessionID
    public let account: AccountID
    /// Keyed hash of the only valid refresh token.
    public let token: Secret
    public let expiresAt: Instant

    public init(session: SessionID, account: AccountID, token: Secret, expiresAt: Instant) {
        self.session = session
        self.account = account
        self.token = token
        self.expiresAt = expiresAt
    }
}

/// The refresh token of a session was used, and a new token replaced it.
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

/// The session has ended; none of its tokens is valid any more.
public struct SessionEnded: Hashable, Sendable {
    public let session: SessionID
    public let account: AccountID
    public let ending: SessionEnding

    public init(session: SessionID, account: AccountID, ending: SessionEnding) {
        self.session = session
        self.account = account
        self.ending = ending
    }
}
