extension ReadNotice: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> ReadNoticeSituation {
        ReadNoticeSituation(
            actor: try past.account(actor), notice: try past.notice(notice), isRead: try past.hasRead(notice, by: actor))
    }

    /// Whether the notice is for the actor is asked of the read model that shows it to them; here it must exist.
    public func decide(_ situation: ReadNoticeSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil, situation.notice != nil else { throw .notFound }
        return situation.isRead ? [] : [.noticeRead(NoticeRead(notice: notice, account: actor))]
    }
}
