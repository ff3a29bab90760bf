internal import Loyalty

/// A notice as one who got it sees it.
public struct ReceivedNotice: Hashable, Sendable {
    public let notice: PostedNotice
    /// Whether its receiver has said that they have read it.
    public let isRead: Bool

    init(notice: PostedNotice, isRead: Bool) {
        self.notice = notice
        self.isRead = isRead
    }
}
