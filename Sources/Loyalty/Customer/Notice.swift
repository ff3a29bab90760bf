/// A message (消息) from the operator or a shop, with the data that decisions need.
public struct Notice: Hashable, Sendable {
    public let id: NoticeID
    public let audience: NoticeAudience
    public let author: AccountID
    /// For a scheduled notice, the time that its author named.
    public private(set) var postedAt: Instant
    public private(set) var status: NoticeStatus
    /// `nil` unless the notice is scheduled.
    public private(set) var draft: NoticeDraft?

    public init(
        id: NoticeID, audience: NoticeAudience, author: AccountID, postedAt: Instant, status: NoticeStatus = .posted,
        draft: NoticeDraft? = nil
    ) {
        (self.id, self.audience, self.author) = (id, audience, author)
        (self.postedAt, self.status, self.draft) = (postedAt, status, draft)
    }
}

/// The state of a notice, by its name in the API: `scheduled` → `posted`, `withdrawn` or `lapsed`.
public enum NoticeStatus: String, Hashable, Sendable { case scheduled, posted, withdrawn, lapsed }

/// Title and text of a notice, sealed under the author's key.
public struct NoticeDraft: Hashable, Sendable {
    public let title: Sealed
    public let text: Sealed
}

/// The accounts that a notice is for.
public enum NoticeAudience: Hashable, Sendable {
    /// Everybody registered at the time of posting.
    case all
    /// Everybody who ever opened a card of the shop's campaigns and had not muted it.
    case shop(ShopID)
    /// Everybody who held a collecting or full card and had not muted the campaign's own shop.
    case holders(CampaignID, of: ShopID)

    public var shop: ShopID? {
        switch self {
        case .all: nil
        case .shop(let shop): shop
        case .holders(_, let shop): shop
        }
    }

    public var campaign: CampaignID? {
        guard case .holders(let campaign, _) = self else { return nil }
        return campaign
    }
}

extension Notice {
    public init?(opening fact: Fact) {
        switch fact.event {
        case .noticePosted(let event): self.init(id: event.notice, audience: event.audience, author: event.author, postedAt: fact.time)
        case .noticeScheduled(let event):
            self.init(
                id: event.notice, audience: event.audience, author: event.author, postedAt: event.publishAt, status: .scheduled,
                draft: NoticeDraft(title: event.title, text: event.text))
        // A reminder about a card goes to its holder alone and has no author.
        case .cardReminded(let event):
            self.init(id: event.notice, audience: .holders(event.campaign, of: event.shop), author: .system, postedAt: fact.time)
        // So is an alert of a saved search, which goes to its account.
        case .searchAlerted(let event): self.init(id: event.notice, audience: .all, author: .system, postedAt: fact.time)
        default: return nil
        }
    }

    /// `NoticeReading` records the readers.
    public mutating func evolve(_ fact: Fact) {
        switch fact.event {
        case .noticePosted(let event) where event.notice == id: (status, postedAt, draft) = (.posted, fact.time, nil)
        case .noticeWithdrawn(let event) where event.notice == id: (status, draft) = (.withdrawn, nil)
        case .noticeLapsed(let event) where event.notice == id: (status, draft) = (.lapsed, nil)
        default: break
        }
    }
}
