/// Post a notice, now or later: to everybody (operators only), or to customers or holders of cards (owner or manager).
public struct PostNotice: Hashable, Sendable {
    public let notice: NoticeID
    public let audience: NoticeAudience
    public let title: Sealed
    public let text: Sealed
    /// `nil` to post at once.
    public let publishAt: Instant?

    public init(notice: NoticeID, audience: NoticeAudience, title: Sealed, text: Sealed, publishAt: Instant? = nil) {
        (self.notice, self.audience, self.title, self.text, self.publishAt) = (notice, audience, title, text, publishAt)
    }
}

extension PostNotice: Decision {
    public typealias Situation = (shop: Shop?, campaign: Campaign?, noticeWithID: Notice?)

    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Situation {
        let existing = try past.notice(notice)
        guard let shop = audience.shop else { return (shop: nil, campaign: nil, noticeWithID: existing) }
        let campaign = if let id = audience.campaign { try past.campaign(id) } else { Campaign?.none }
        return (shop: try past.shop(shop), campaign: campaign, noticeWithID: existing)
    }

    /// The caller MUST ensure that only an operator posts to everybody.
    public func decide(_ situation: Situation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        if audience != .all {
            guard let shop = situation.shop else { throw .notFound }
            try shop.require(.manager, of: actor)
        }
        if audience.campaign != nil {
            guard let campaign = situation.campaign, campaign.shop == audience.shop, campaign.kind != .promotion else { throw .notFound }
        }
        try checkFields(at: now)
        if let existing = situation.noticeWithID {
            guard existing.author == actor, existing.audience == audience else { throw .notFound }
            return []
        }
        guard let publishAt, publishAt > now else {
            return [.noticePosted(NoticePosted(notice: notice, audience: audience, author: actor, title: title, text: text))]
        }
        let scheduled = NoticeScheduled(notice: notice, audience: audience, author: actor, title: title, text: text, publishAt: publishAt)
        return [.noticeScheduled(scheduled)]
    }

    /// Checks only the size, which bounds the event. The service checked the length before sealing.
    private func checkFields(at now: Instant) throws(Rejection) {
        var checks = FieldChecks()
        checks.require(Limits.sealedTitleBytes.contains(title.bytes.count), "title", .characters(Limits.title.scalars))
        checks.require(sealedText: text)
        if let publishAt {
            checks.require(publishAt >= now.advanced(bySeconds: -Limits.clockLeadSeconds), "publishAt", .pastTime)
            let latest = now.advanced(bySeconds: Int64(Limits.noticeLeadDaysMax) * Limits.daySeconds)
            checks.require(publishAt <= latest, "publishAt", .daysAhead(max: Limits.noticeLeadDaysMax))
        }
        try checks.verdict()
    }
}

extension Shop {
    func hasVoice(_ account: AccountID) -> Bool { role(of: account).map { $0 >= .manager } ?? false }
}
