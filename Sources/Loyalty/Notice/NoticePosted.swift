/// The operator, or a shop's owner, told many people something. Title and text are sealed under the author's key.
public struct NoticePosted: Hashable, Sendable {
    public let notice: NoticeID
    public let audience: NoticeAudience
    public let author: AccountID
    public let title: Sealed
    public let text: Sealed

    public init(notice: NoticeID, audience: NoticeAudience, author: AccountID, title: Sealed, text: Sealed) {
        self.notice = notice
        self.audience = audience
        self.author = author
        self.title = title
        self.text = text
    }
}
