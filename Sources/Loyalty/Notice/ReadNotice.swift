/// Note that one has read a notice.
public struct ReadNotice: Hashable, Sendable {
    public let notice: NoticeID

    public init(notice: NoticeID) {
        self.notice = notice
    }
}
