/// A message (消息) from the operator or a shop, as far as decisions need it.
public struct Notice: Hashable, Sendable {
    public let id: NoticeID
    public let audience: NoticeAudience
    public let author: AccountID
    public let postedAt: Instant

    public init(id: NoticeID, audience: NoticeAudience, author: AccountID, postedAt: Instant) {
        self.id = id
        self.audience = audience
        self.author = author
        self.postedAt = postedAt
    }
}

/// The operator, or a shop's owner, told many people something. Title and text are sealed under the author's key.
public struct NoticePosted: Hashable, Sendable {
    public let notice: NoticeID
    public let audience: NoticeAudience
    public let author: AccountID
    public let title: Sealed
    public let text: Sealed

    public init(notice: NoticeID, audience: NoticeAudience, author: AccountID, title: Sealed, text: Sealed) {
        self.notice = notice
        self.audience = audience
        self.author = author
        self.title = title
        self.text = text
    }
}

/// Whom a notice is for.
public enum NoticeAudience: Hashable, Sendable {
    /// Everybody who had registered by then.
    case all
    /// Everybody who had opened a card at this shop by then.
    case shop(ShopID)

    /// `nil` for everybody.
    public var shop: ShopID? {
        guard case .shop(let shop) = self else { return nil }
        return shop
    }
}

/// Which notice who has read.
public struct NoticeReading: Hashable, Sendable {
    public let notice: NoticeID
    public let account: AccountID

    public init(notice: NoticeID, account: AccountID) {
        self.notice = notice
        self.account = account
    }
}

/// Somebody has read a notice.
public struct NoticeRead: Hashable, Sendable {
    public let notice: NoticeID
    public let account: AccountID

    public init(notice: NoticeID, account: AccountID) {
        self.notice = notice
        self.account = account
    }
}

extension Notice: Folded {
    public init?(opening fact: Fact) {
        guard case .noticePosted(let event) = fact.event else { return nil }
        self.init(id: event.notice, audience: event.audience, author: event.author, postedAt: fact.time)
    }

    /// Nothing changes a notice: who has read it is their own affair.
    public mutating func evolve(_ fact: Fact) {}
}
