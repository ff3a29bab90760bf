/// The operator or a shop posted a notice to many accounts. Title and text are sealed under the author's key.
public struct NoticePosted: Hashable, Sendable {
    public let notice: NoticeID
    public let audience: NoticeAudience
    public let author: AccountID
    public let title: Sealed
    public let text: Sealed
    /// `nil` for a notice that was posted at once.
    public let dueAt: Instant?

    public init(notice: NoticeID, audience: NoticeAudience, author: AccountID, title: Sealed, text: Sealed, dueAt: Instant? = nil) {
        (self.notice, self.audience, self.author) = (notice, audience, author)
        (self.title, self.text, self.dueAt) = (title, text, dueAt)
    }
}

/// A notice was scheduled for later. Title and text are sealed under the author's key.
public struct NoticeScheduled: Hashable, Sendable {
    public let notice: NoticeID
    public let audience: NoticeAudience
    public let author: AccountID
    public let title: Sealed
    public let text: Sealed
    public let publishAt: Instant

    public init(notice: NoticeID, audience: NoticeAudience, author: AccountID, title: Sealed, text: Sealed, publishAt: Instant) {
        (self.notice, self.audience, self.author) = (notice, audience, author)
        (self.title, self.text, self.publishAt) = (title, text, publishAt)
    }
}
