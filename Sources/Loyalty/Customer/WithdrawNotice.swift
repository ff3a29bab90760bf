/// Withdraw a notice that has not yet appeared; for its author only.
public struct WithdrawNotice: Hashable, Sendable {
    public let notice: NoticeID

    public init(notice: NoticeID) {
        self.notice = notice
    }
}

/// The facts that withdrawing a notice needs.
public struct WithdrawNoticeSituation: Hashable, Sendable {
    public let actor: Account?
    public let notice: Notice?
}

extension WithdrawNotice: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> WithdrawNoticeSituation {
        WithdrawNoticeSituation(actor: try past.account(actor), notice: try past.notice(notice))
    }

    /// A notice whose time has come cannot be withdrawn, even if its appearance is not yet recorded.
    public func decide(_ situation: WithdrawNoticeSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil, let known = situation.notice, known.author == actor else { throw .notFound }
        switch known.status {
        case .withdrawn: return []
        case .scheduled where now < known.postedAt: return [.noticeWithdrawn(NoticeWithdrawn(notice: notice, author: actor))]
        case .scheduled, .posted, .lapsed: throw .notFound
        }
    }
}
