/// A message (消息) from the operator or a shop, as far as decisions need it.
public struct Notice: Hashable, Sendable {
    public let id: NoticeID
    public let audience: NoticeAudience
    public let author: AccountID
    public let postedAt: Instant

    public init(id: NoticeID, audience: NoticeAudience, author: AccountID, postedAt: Instant) {
        self.id = id
        self.audience = audience
        self.author = author
        self.postedAt = postedAt
    }
}
