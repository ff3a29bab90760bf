/// A message (消息) from the operator or a shop, as far as decisions need it.
public struct Notice: Hashable, Sendable {
    public let id: NoticeID
    public let audience: NoticeAudience
    public let author: AccountID
    /// The moment at which it appeared. Before that, the moment that its author named.
    public private(set) var postedAt: Instant
    public private(set) var status: NoticeStatus
    /// Title and text of a notice that has yet to appear; `nil` for any other notice.
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
    /// Appears at the moment that its author named.
    case scheduled
    case posted
    /// Its author took it back before it appeared.
    case withdrawn
    /// When it was due, its author no longer had the right to speak for the shop.
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
    /// All accounts that had registered by then.
    case all
    /// All accounts that had opened a card at this shop by then.
    case shop(ShopID)
    /// All accounts that held a collecting or full card of this campaign then. The shop is the campaign's.
    case holders(CampaignID, of: ShopID)

    /// `nil` for everybody.
    public var shop: ShopID? {
        switch self {
        case .all: nil
        case .shop(let shop): shop
        case .holders(_, let shop): shop
        }
    }

    /// The campaign whose holders it is for.
    public var campaign: CampaignID? {
        guard case .holders(let campaign, _) = self else { return nil }
        return campaign
    }
}

/// A notice and an account that has read it.
public struct NoticeReading: Hashable, Sendable {
    public let notice: NoticeID
    public let account: AccountID

    public init(notice: NoticeID, account: AccountID) {
        self.notice = notice
        self.account = account
    }
}

extension Notice: Folded {
    public init?(opening fact: Fact) {
        switch fact.event {
        case .noticePosted(let event):
            self.init(id: event.notice, audience: event.audience, author: event.author, postedAt: fact.time)
        case .noticeScheduled(let event):
            self.init(
                id: event.notice, audience: event.audience, author: event.author, postedAt: event.publishAt, status: .scheduled,
                draft: NoticeDraft(title: event.title, text: event.text))
        // A reminder of a card is a notice to its holder alone, and nobody wrote it.
        case .cardReminded(let event):
            self.init(
                id: event.notice, audience: .holders(event.campaign, of: event.shop), author: .system, postedAt: fact.time)
        default: return nil
        }
    }

    /// A posted notice no longer changes. Readings are recorded for each account, not here.
    public mutating func evolve(_ fact: Fact) {
        switch fact.event {
        case .noticePosted(let event) where event.notice == id: (status, postedAt, draft) = (.posted, fact.time, nil)
        case .noticeWithdrawn(let event) where event.notice == id: (status, draft) = (.withdrawn, nil)
        case .noticeLapsed(let event) where event.notice == id: (status, draft) = (.lapsed, nil)
        default: break
        }
    }
}
