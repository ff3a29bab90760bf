/// Withdraw a notice that has not yet appeared; for its author only.
public struct WithdrawNotice: Hashable, Sendable {
    public let notice: NoticeID

    public init(notice: NoticeID) { self.notice = notice }
}

extension WithdrawNotice: Decision {
    public typealias Situation = (actor: Account?, notice: Notice?)

    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Situation {
        (actor: try past.account(actor), notice: try past.notice(notice))
    }

    /// A notice whose time has come cannot be withdrawn, even if its appearance is not yet recorded.
    public func decide(_ situation: Situation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil, let known = situation.notice, known.author == actor else { throw .notFound }
        switch known.status {
        case .withdrawn: return []
        case .scheduled where now < known.postedAt: return [.noticeWithdrawn(NoticeWithdrawn(notice: notice, author: actor))]
        case .scheduled, .posted, .lapsed: throw .notFound
        }
    }
}
