/// Tell everybody, or everybody with a card at one's own shop, something.
public struct PostNotice: Hashable, Sendable {
    public let notice: NoticeID
    public let audience: NoticeAudience
    public let title: Sealed
    public let text: Sealed

    public init(notice: NoticeID, audience: NoticeAudience, title: Sealed, text: Sealed) {
        self.notice = notice
        self.audience = audience
        self.title = title
        self.text = text
    }
}
