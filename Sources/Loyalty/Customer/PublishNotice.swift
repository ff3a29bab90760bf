/// Post a scheduled notice when it is due; only for the service's scheduler.
public struct PublishNotice: Hashable, Sendable {
    public let notice: NoticeID

    public init(notice: NoticeID) { self.notice = notice }
}

/// The facts that posting a scheduled notice needs.
public struct PublishNoticeSituation: Hashable, Sendable {
    public let notice: Notice?
    public let author: Account?
    public let shop: Shop?
    /// `nil` if erased, and for a notice to everybody.
    public let owner: Account?
}

extension PublishNotice: Decision {
    public static var needsAccount: Bool { false }

    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> PublishNoticeSituation {
        guard let known = try past.notice(notice) else { return PublishNoticeSituation(notice: nil, author: nil, shop: nil, owner: nil) }
        let author = try past.account(known.author)
        guard let id = known.audience.shop, let shop = try past.shop(id) else {
            return PublishNoticeSituation(notice: known, author: author, shop: nil, owner: nil)
        }
        return PublishNoticeSituation(notice: known, author: author, shop: shop, owner: try past.account(shop.owner))
    }

    /// The notice appears or lapses. A repeated command does nothing.
    public func decide(_ situation: PublishNoticeSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let known = situation.notice, known.status == .scheduled, known.postedAt <= now, let draft = known.draft else { return [] }
        guard mayAppear(situation, at: now) else {
            return [.noticeLapsed(NoticeLapsed(notice: notice, author: known.author, dueAt: known.postedAt))]
        }
        let posted = NoticePosted(
            notice: notice, audience: known.audience, author: known.author, title: draft.title, text: draft.text, dueAt: known.postedAt)
        return [.noticePosted(posted)]
    }

    private func mayAppear(_ situation: PublishNoticeSituation, at now: Instant) -> Bool {
        guard let author = situation.author, !author.isSuspended else { return false }
        guard situation.notice?.audience.shop != nil else { return true }
        guard let shop = situation.shop, shop.hasVoice(author.id) else { return false }
        return ShopStanding(shop, owner: situation.owner, at: now) == .open
    }
}
