/// Somebody has read a notice.
public struct NoticeRead: Hashable, Sendable {
    public let notice: NoticeID
    public let account: AccountID

    public init(notice: NoticeID, account: AccountID) {
        self.notice = notice
        self.account = account
    }
}
