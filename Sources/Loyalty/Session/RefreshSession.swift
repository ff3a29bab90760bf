/// Spend a refresh token for the next. A token that was spent before ends the family.
public struct RefreshSession: Hashable, Sendable {
    public let session: SessionID
    public let presented: Secret
    public let next: Secret
    public let expiresAt: Instant

    public init(session: SessionID, presented: Secret, next: Secret, expiresAt: Instant) {
        self.session = session
        self.presented = presented
        self.next = next
        self.expiresAt = expiresAt
    }
}
