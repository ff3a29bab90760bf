/// Which notice who has read.
public struct NoticeReading: Hashable, Sendable {
    public let notice: NoticeID
    public let account: AccountID

    public init(notice: NoticeID, account: AccountID) {
        self.notice = notice
        self.account = account
    }
}
