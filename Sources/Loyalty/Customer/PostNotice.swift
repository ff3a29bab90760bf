/// Tell everybody, or everybody with a card at a shop that one owns or manages, something.
public struct PostNotice: Hashable, Sendable {
    public let notice: NoticeID
    public let audience: NoticeAudience
    public let title: Sealed
    public let text: Sealed

    public init(notice: NoticeID, audience: NoticeAudience, title: Sealed, text: Sealed) {
        self.notice = notice
        self.audience = audience
        self.title = title
        self.text = text
    }
}

/// The facts that posting a notice needs.
public struct PostNoticeSituation: Hashable, Sendable {
    public let actor: Account?
    /// The audience's; `nil` for a notice to everybody, too.
    public let shop: Shop?
    public let noticeWithID: Notice?

    public init(actor: Account?, shop: Shop?, noticeWithID: Notice?) {
        self.actor = actor
        self.shop = shop
        self.noticeWithID = noticeWithID
    }
}

extension PostNotice: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> PostNoticeSituation {
        let account = try past.account(actor)
        let existing = try past.notice(notice)
        guard let shop = audience.shop else { return PostNoticeSituation(actor: account, shop: nil, noticeWithID: existing) }
        return PostNoticeSituation(actor: account, shop: try past.shop(shop), noticeWithID: existing)
    }

    /// The caller MUST know that only an operator posts to everybody: operators are a role of the configuration.
    public func decide(_ situation: PostNoticeSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil else { throw .notFound }
        if audience != .all {
            guard let shop = situation.shop else { throw .notFound }
            try shop.require(.manager, of: actor)
        }
        try checkFields()
        if let existing = situation.noticeWithID {
            guard existing.author == actor, existing.audience == audience else { throw .notFound }
            return []
        }
        return [.noticePosted(NoticePosted(notice: notice, audience: audience, author: actor, title: title, text: text))]
    }

    /// The service checked the lengths in characters when it sealed the texts. Here only the bytes are checked, which bound the event
    /// record.
    private func checkFields() throws(Rejection) {
        var checks = FieldChecks()
        checks.require(Limits.sealedTitleBytes.contains(title.bytes.count), "title", .characters(Limits.title.scalars))
        checks.require(sealedText: text)
        try checks.verdict()
    }
}
