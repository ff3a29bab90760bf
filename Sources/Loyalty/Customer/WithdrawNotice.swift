/// Withdraw a notice that has not yet appeared; for its author only.
public struct WithdrawNotice: Hashable, Sendable {
    public let notice: NoticeID

    public init(notice: NoticeID) { self.notice = notice }
}

extension WithdrawNotice: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Notice? { try past.notice(notice) }

    /// A notice whose time has come cannot be withdrawn, even if its appearance is not yet recorded.
    public func decide(_ situation: Notice?, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let known = situation, known.author == actor else { throw .notFound }
        switch known.status {
        case .withdrawn: return []
        case .scheduled where now < known.postedAt: return [.noticeWithdrawn(NoticeWithdrawn(notice: notice, author: actor))]
        case .scheduled, .posted, .lapsed: throw .notFound
        }
    }
}
