/// Spend a refresh token for the next. A token that was spent before ends the family.
public struct RefreshSession: Hashable, Sendable {
    public let session: SessionID
    public let presented: Secret
    public let next: Secret
    public let expiresAt: Instant
    /// Whether the presented token bears the service's own mark: then it was given out for this session, however long ago.
    public let isGenuine: Bool

    public init(session: SessionID, presented: Secret, next: Secret, expiresAt: Instant, isGenuine: Bool = false) {
        self.session = session
        self.presented = presented
        self.next = next
        self.expiresAt = expiresAt
        self.isGenuine = isGenuine
    }
}
