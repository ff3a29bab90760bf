/// The operator or a shop posted a notice to many accounts. Title and text are sealed under the author's key.
public struct NoticePosted: Hashable, Sendable {
    public let notice: NoticeID
    public let audience: NoticeAudience
    public let author: AccountID
    public let title: Sealed
    public let text: Sealed
    /// The time that the author had named; `nil` for a notice that was posted at once.
    public let dueAt: Instant?

    public init(
        notice: NoticeID, audience: NoticeAudience, author: AccountID, title: Sealed, text: Sealed, dueAt: Instant? = nil
    ) {
        self.notice = notice
        self.audience = audience
        self.author = author
        self.title = title
        self.text = text
        self.dueAt = dueAt
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

    public init(
        notice: NoticeID, audience: NoticeAudience, author: AccountID, title: Sealed, text: Sealed, publishAt: Instant
    ) {
        self.notice = notice
        self.audience = audience
        self.author = author
        self.title = title
        self.text = text
        self.publishAt = publishAt
    }
}

/// The author took a notice back before it appeared.
public struct NoticeWithdrawn: Hashable, Sendable {
    public let notice: NoticeID
    public let author: AccountID

    public init(notice: NoticeID, author: AccountID) {
        (self.notice, self.author) = (notice, author)
    }
}

/// A scheduled notice did not appear at the time that its author had named: the author was erased or suspended, or no longer owned or
/// managed the shop, or the shop was suspended or had closed.
public struct NoticeLapsed: Hashable, Sendable {
    public let notice: NoticeID
    public let author: AccountID
    /// The time that the author had named.
    public let dueAt: Instant

    public init(notice: NoticeID, author: AccountID, dueAt: Instant) {
        (self.notice, self.author, self.dueAt) = (notice, author, dueAt)
    }
}

/// An account has read a notice.
public struct NoticeRead: Hashable, Sendable {
    public let notice: NoticeID
    public let account: AccountID

    public init(notice: NoticeID, account: AccountID) {
        self.notice = notice
        self.account = account
    }
}
