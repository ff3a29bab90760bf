internal import LMDB
public import Loyalty
internal import LoyaltyCodec

/// The stored form of a notice.
///
/// ```
/// 0 position u64   8 time i64, µs   16 shop u128, 0 if for everybody
/// 32 campaign u128, 0 unless the notice is for the holders of its cards   48 author u128
/// 64 number of bytes of the title, u32   68 title, then text to the end
/// ```
/// A reminder about a card has no author and no title. In place of title and text it has:
/// ```
/// 68 card u128   84 holder u128   100 days left u8   101 expires at i64, µs
/// ```
/// An alert of a saved search has neither author, title, shop nor campaign. In place of title and text it has:
/// ```
/// 68 search u128   84 account u128   100 1 if there were more, u8   101 the campaigns, 1 to 20 u128
/// ```
/// All numbers are little-endian.
package enum NoticeRow {
    private static let titleAt = 68
    private static let reminderBytes = 41
    private static let alertBytes = 33

    /// Replaces `row` by a notice.
    package static func encode(_ notice: PostedNotice, into row: inout [UInt8]) {
        row.removeAll(keepingCapacity: true)
        row.append(littleEndian: notice.position)
        row.append(littleEndian: notice.at.microseconds)
        row.append(littleEndian: notice.audience.tagValue)
        row.append(littleEndian: notice.audience.campaign?.value ?? 0)
        row.append(littleEndian: notice.author.value)
        row.append(littleEndian: UInt32(notice.title.bytes.count))
        row.append(contentsOf: notice.title.bytes)
        row.append(contentsOf: notice.text.bytes)
        if let alert = notice.alert {
            row.append(littleEndian: alert.search.value)
            row.append(littleEndian: alert.account.value)
            row.append(alert.hasMore ? 1 : 0)
            for campaign in alert.campaigns { row.append(littleEndian: campaign.value) }
        }
        guard let reminder = notice.reminder else { return }
        row.append(littleEndian: reminder.card.value)
        row.append(littleEndian: reminder.holder.value)
        row.append(UInt8(clamping: reminder.daysLeft))
        row.append(littleEndian: reminder.expiresAt.microseconds)
    }

    /// The notice; nil if the bytes are not a row.
    package static func decode(_ row: Span<UInt8>, id: NoticeID) -> PostedNotice? {
        guard row.count > titleAt else { return nil }
        let titleBytes = Int(row.littleEndian32(at: 64))
        if titleBytes == 0 { return reminder(row, id: id) ?? alert(row, id: id) }
        guard titleBytes < row.count - titleAt else { return nil }
        var (title, text): ([UInt8], [UInt8]) = ([], [])
        title.append(copying: row.extracting(titleAt..<(titleAt + titleBytes)))
        text.append(copying: row.extracting(droppingFirst: titleAt + titleBytes))
        let (shop, campaign) = (ShopID(row.littleEndian128(at: 16)), CampaignID(row.littleEndian128(at: 32)))
        let audience: NoticeAudience = shop.value == 0 ? .all : campaign.value == 0 ? .shop(shop) : .holders(campaign, of: shop)
        return PostedNotice(
            id: id, audience: audience, author: AccountID(row.littleEndian128(at: 48)),
            title: Sealed(title), text: Sealed(text), at: row.time(at: 8), position: row.littleEndian64(at: 0))
    }

    private static func reminder(_ row: Span<UInt8>, id: NoticeID) -> PostedNotice? {
        guard row.count == titleAt + reminderBytes else { return nil }
        let reminder = PostedReminder(
            card: CardID(row.littleEndian128(at: titleAt)), holder: AccountID(row.littleEndian128(at: titleAt + 16)),
            daysLeft: Int(row[titleAt + 32]), expiresAt: row.time(at: titleAt + 33))
        return PostedNotice(
            id: id, of: CampaignID(row.littleEndian128(at: 32)), at: ShopID(row.littleEndian128(at: 16)), reminder,
            time: row.time(at: 8), position: row.littleEndian64(at: 0))
    }

    private static func alert(_ row: Span<UInt8>, id: NoticeID) -> PostedNotice? {
        let listed = row.count - titleAt - alertBytes
        guard listed > 0, listed % 16 == 0, listed / 16 <= Loyalty.Limits.alertedCampaigns, row[titleAt + 32] <= 1 else { return nil }
        let campaigns = (0..<listed / 16).map { CampaignID(row.littleEndian128(at: titleAt + alertBytes + 16 * $0)) }
        let alert = PostedAlert(
            search: SearchID(row.littleEndian128(at: titleAt)), account: AccountID(row.littleEndian128(at: titleAt + 16)),
            campaigns: campaigns, hasMore: row[titleAt + 32] == 1)
        return PostedNotice(id: id, alert, time: row.time(at: 8), position: row.littleEndian64(at: 0))
    }

    static func text(_ row: Span<UInt8>) -> String? {
        guard let notice = decode(row, id: NoticeID(0)) else { return nil }
        if let alert = notice.alert {
            return "alert of search \(alert.search.text) to \(alert.account.text), \(alert.campaigns.count) campaigns, "
                + "at \(notice.at.rfc3339), position \(notice.position)"
        }
        if let reminder = notice.reminder {
            return "reminder of card \(reminder.card.text) to \(reminder.holder.text), \(reminder.daysLeft) days before it ends at "
                + "\(reminder.expiresAt.rfc3339), at \(notice.at.rfc3339), position \(notice.position)"
        }
        return "notice to \(notice.audience.shop?.text ?? "all") by \(notice.author.text), \(notice.title.bytes.count) and "
            + "\(notice.text.bytes.count) bytes, at \(notice.at.rfc3339), position \(notice.position)"
    }
}

/// The position from which an account receives notices to everybody, and the number that it has read.
package struct NoticeMember: StoredRow, Hashable, Sendable {
    static let noun = "the row of an account"

    package let since: UInt64
    package var reads: UInt64

    package init(since: UInt64, reads: UInt64) { (self.since, self.reads) = (since, reads) }

    /// Both numbers, little-endian.
    package func encode(into row: inout [UInt8]) {
        row.setCount(16)
        var bytes = row.mutableSpan
        bytes.store(littleEndian: since, at: 0)
        bytes.store(littleEndian: reads, at: 8)
    }

    package init?(_ row: Span<UInt8>) {
        guard row.count == 16 else { return nil }
        self.init(since: row.littleEndian64(at: 0), reads: row.littleEndian64(at: 8))
    }
}

/// A reminder about a card: the card, its holder, its end, and the days before the end.
///
/// A reminder has no words. Clients word it in their reader's language.
public struct PostedReminder: Hashable, Sendable {
    public let card: CardID
    public let holder: AccountID
    /// Days before the end when the reminder was due.
    public let daysLeft: Int
    public let expiresAt: Instant
}

/// New campaigns that a saved search finds. Like a reminder, it has no words.
public struct PostedAlert: Hashable, Sendable {
    public let search: SearchID
    public let account: AccountID
    /// The newest first.
    public let campaigns: [CampaignID]
    public let hasMore: Bool
}

/// A notice as it was posted.
public struct PostedNotice: Hashable, Sendable {
    public let id: NoticeID
    public let audience: NoticeAudience
    public let author: AccountID
    /// Sealed under the author's data key, like ``text``.
    public let title: Sealed
    public let text: Sealed
    public let at: Instant
    public let position: UInt64
    /// Nil for a notice that a person wrote. A reminder has no author, title or text.
    public let reminder: PostedReminder?
    /// Nil for any notice but an alert.
    public let alert: PostedAlert?

    /// Whether no person wrote it. Then it has no author, title or text.
    public var isWordless: Bool { reminder != nil || alert != nil }

    package init(id: NoticeID, audience: NoticeAudience, author: AccountID, title: Sealed, text: Sealed, at: Instant, position: UInt64) {
        (self.id, self.audience, self.author, self.title) = (id, audience, author, title)
        (self.text, self.at, self.position, reminder, alert) = (text, at, position, nil, nil)
    }

    package init(id: NoticeID, _ alert: PostedAlert, time: Instant, position: UInt64) {
        (self.id, audience, author, reminder, self.alert) = (id, .all, .system, nil, alert)
        (title, text, at, self.position) = (Sealed([]), Sealed([]), time, position)
    }

    package init(id: NoticeID, of campaign: CampaignID, at shop: ShopID, _ reminder: PostedReminder, time: Instant, position: UInt64) {
        (self.id, audience, author) = (id, .holders(campaign, of: shop), .system)
        (title, text, at) = (Sealed([]), Sealed([]), time)
        (self.position, self.reminder, alert) = (position, reminder, nil)
    }

    public init?(of fact: Fact) {
        switch fact.event {
        case .noticePosted(let event): self.init(event, of: fact)
        case .cardReminded(let event):
            let reminder = PostedReminder(card: event.card, holder: event.holder, daysLeft: event.daysLeft, expiresAt: event.expiresAt)
            self.init(id: event.notice, of: event.campaign, at: event.shop, reminder, time: fact.time, position: fact.position)
        case .searchAlerted(let event):
            let alert = PostedAlert(
                search: event.search, account: event.account, campaigns: event.campaigns.ids, hasMore: event.hasMore)
            self.init(id: event.notice, alert, time: fact.time, position: fact.position)
        default: return nil
        }
    }

    public init(_ event: NoticePosted, of fact: Fact) {
        self.init(
            id: event.notice, audience: event.audience, author: event.author, title: event.title, text: event.text, at: fact.time,
            position: fact.position)
    }
}

extension PostedNotice {
    /// The receivers' id in keys: the holder of a reminder's card, the account of an alert, or the audience's key.
    package var key: UInt128 { reminder?.holder.value ?? alert?.account.value ?? audience.key }
}

extension NoticeAudience {
    /// The audience's id in keys: 0 for everybody, or a shop or campaign, whose random ids never collide.
    package var key: UInt128 { campaign?.value ?? tagValue }
}
