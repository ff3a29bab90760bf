/// Record that the actor has read a notice.
public struct ReadNotice: Hashable, Sendable {
    public let notice: NoticeID

    public init(notice: NoticeID) { self.notice = notice }
}

extension ReadNotice: Decision {
    public typealias Situation = (notice: Notice?, isRead: Bool)

    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Situation {
        (notice: try past.notice(notice), isRead: try past.hasRead(notice, by: actor))
    }

    /// The read model has already checked that the notice is for the actor.
    public func decide(_ situation: Situation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.notice?.status == .posted else { throw .notFound }
        return situation.isRead ? [] : [.noticeRead(NoticeRead(notice: notice, account: actor))]
    }
}
