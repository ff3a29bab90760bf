public import Loyalty

/// A notice as it was posted.
public struct PostedNotice: Hashable, Sendable {
    public let id: NoticeID
    public let audience: NoticeAudience
    public let author: AccountID
    /// Under the author's data key.
    public let title: Sealed
    /// Under the author's data key.
    public let text: Sealed
    public let at: Instant
    /// Where in the log it stands.
    public let position: UInt64

    package init(
        id: NoticeID, audience: NoticeAudience, author: AccountID, title: Sealed, text: Sealed, at: Instant, position: UInt64
    ) {
        self.id = id
        self.audience = audience
        self.author = author
        self.title = title
        self.text = text
        self.at = at
        self.position = position
    }

    /// What an event posted.
    public init(_ event: NoticePosted, of fact: Fact) {
        self.init(
            id: event.notice, audience: event.audience, author: event.author, title: event.title, text: event.text, at: fact.time,
            position: fact.position)
    }
}
