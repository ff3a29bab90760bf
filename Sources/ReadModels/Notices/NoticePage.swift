public import EventLog

/// Some of an account's notices, newest first, and how many of all of them it has not read.
public struct NoticePage: Hashable, Sendable {
    public let notices: [ReceivedNotice]
    /// What to ask for to go on; nil where this was the last page.
    public let next: Position?
    /// Of all that the account got, not of this page.
    public let unread: Int

    init(notices: [ReceivedNotice], next: Position?, unread: Int) {
        self.notices = notices
        self.next = next
        self.unread = unread
    }
}
