/// A message (消息) from the operator or a shop, with only the data that decisions need.
public struct Notice: Hashable, Sendable {
    public let id: NoticeID
    public let audience: NoticeAudience
    public let author: AccountID
    /// The time at which the notice appeared; for a scheduled notice, the time that its author named.
    public private(set) var postedAt: Instant
    public private(set) var status: NoticeStatus
    /// Title and text of a notice that has not yet appeared; `nil` for any other notice.
    public private(set) var draft: NoticeDraft?

    public init(
        id: NoticeID, audience: NoticeAudience, author: AccountID, postedAt: Instant, status: NoticeStatus = .posted,
        draft: NoticeDraft? = nil
    ) {
        (self.id, self.audience, self.author) = (id, audience, author)
        (self.postedAt, self.status, self.draft) = (postedAt, status, draft)
    }
}

/// The state of a notice: `scheduled` → `posted`, `withdrawn` or `lapsed`. A notice without a scheduled time is posted at once.
public enum NoticeStatus: Hashable, Sendable {
    /// The notice will appear at the time that its author named.
    case scheduled
    case posted
    /// The author took the notice back before it appeared.
    case withdrawn
    /// The notice was due but did not appear; ``NoticeLapsed`` lists the possible reasons.
    case lapsed
}

/// Title and text of a notice, sealed under the author's key.
public struct NoticeDraft: Hashable, Sendable {
    public let title: Sealed
    public let text: Sealed

    public init(title: Sealed, text: Sealed) {
        (self.title, self.text) = (title, text)
    }
}

/// The accounts that a notice is for.
public enum NoticeAudience: Hashable, Sendable {
    /// All accounts that were registered when the notice appeared.
    case all
    /// All accounts that had ever opened a card of this shop's campaigns when the notice appeared, and had not muted the shop.
    case shop(ShopID)
    /// All accounts that held a collecting or full card of this campaign when the notice appeared, and had not muted the shop. The shop is
    /// the campaign's own shop.
    case holders(CampaignID, of: ShopID)

    /// The shop whose customers or holders of cards get the notice; `nil` for a notice to everybody.
    public var shop: ShopID? {
        switch self {
        case .all: nil
        case .shop(let shop): shop
        case .holders(_, let shop): shop
        }
    }

    /// The campaign whose holders of cards get the notice; `nil` for other audiences.
    public var campaign: CampaignID? {
        guard case .holders(let campaign, _) = self else { return nil }
        return campaign
    }
}

extension Notice {
    public init?(opening fact: Fact) {
        switch fact.event {
        case .noticePosted(let event):
            self.init(id: event.notice, audience: event.audience, author: event.author, postedAt: fact.time)
        case .noticeScheduled(let event):
            self.init(
                id: event.notice, audience: event.audience, author: event.author, postedAt: event.publishAt, status: .scheduled,
                draft: NoticeDraft(title: event.title, text: event.text))
        // A reminder about a card is a notice to its holder alone, and has no author.
        case .cardReminded(let event):
            self.init(
                id: event.notice, audience: .holders(event.campaign, of: event.shop), author: .system, postedAt: fact.time)
        default: return nil
        }
    }

    /// Applies one event to the notice. A posted notice no longer changes. Which accounts have read a notice is recorded in
    /// `NoticeReading`, not here.
    public mutating func evolve(_ fact: Fact) {
        switch fact.event {
        case .noticePosted(let event) where event.notice == id: (status, postedAt, draft) = (.posted, fact.time, nil)
        case .noticeWithdrawn(let event) where event.notice == id: (status, draft) = (.withdrawn, nil)
        case .noticeLapsed(let event) where event.notice == id: (status, draft) = (.lapsed, nil)
        default: break
        }
    }
}
