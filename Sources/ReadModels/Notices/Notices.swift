public import EventLog
internal import LMDB
public import Loyalty
internal import LoyaltyCodec
public import Projections

/// The notices that each account receives, and those that it has read. Texts stay sealed.
///
/// A notice to everybody is for accounts registered before it, a shop's for accounts with an older card there, and one to holders for
/// accounts that held a card at its position; the latter two only outside of mutes. Reads take one snapshot each, and never wait for the
/// writer.
public final class Notices: ReadModel {
    public static let name = "notices"
    public static let schemaVersion = 3
    public static let eventTypes: Set<EventType> = [
        .accountRegistered, .cardOpened, .cardDiscarded, .cardRedeemed, .redemptionReversed, .cardExpired, .cardReminded, .noticePosted,
        .noticeRead, .shopMuted, .shopUnmuted, .waitingCardTaken, .searchAlerted,
    ]
    public static let tables = [
        noticeTable, audienceTable, memberTable, holderTable, readTable, muteTable, heldTable, spentTable, postedTable,
    ]
    public static let bytesPerChange = 128

    /// Notice → ``NoticeRow``.
    static let noticeTable = ModelTable("notices", key: [.notice]) { NoticeRow.text($0) }
    /// Audience and position → notice, 16 bytes, and its number there, u64 from 1. The audience is a shop, a campaign, an account (for
    /// reminders), or 0 for everybody.
    static let audienceTable = ModelTable("audiences", key: [.shop, .position]) { row in
        row.count == 24 ? "\(NoticeID(row.bigEndian128(at: 0)).text), number \(row.littleEndian64(at: 16))" : nil
    }
    /// Account → ``NoticeMember``.
    static let memberTable = ModelTable("members", key: [.account]) { row in
        NoticeMember(row).map { "registered at position \($0.since), \($0.reads) read" }
    }
    /// Account and shop → the position of its first card there, u64.
    static let holderTable = ModelTable("holders", key: [.account, .shop], number: { "first card at position \($0)" })
    /// Account and notice → the position at which it was read, u64.
    static let readTable = ModelTable("reads", key: [.account, .notice], number: { "read at position \($0)" })

    /// Account and shop → its `MutedStretches`, if the mute lasts or the shop posted in it.
    static let muteTable = ModelTable("mutes", key: [.account, .shop]) { MutedStretches.text($0) }

    /// Account and campaign → ``HeldCards``.
    static let heldTable = ModelTable("held", key: [.account, .campaign]) { HeldCards.text($0) }
    /// Cards that are no longer held, but may still be discarded: card → 1.
    static let spentTable = ModelTable("spent", key: [.card]) { row in row.count == 1 ? "redeemed or expired" : nil }

    /// Shop → its newest notice's position, u64, without reminders.
    static let postedTable = ModelTable("posted", key: [.shop], number: { "newest notice at position \($0)" })

    public let store: ModelStore
    let notices, audiences, members, holders, reads, mutes, held, spent, posted: Table

    public init(_ store: ModelStore) throws(ReadModelError) {
        self.store = store
        (notices, audiences, members) = try (store.table(Self.noticeTable), store.table(Self.audienceTable), store.table(Self.memberTable))
        (holders, reads, mutes) = try (store.table(Self.holderTable), store.table(Self.readTable), store.table(Self.muteTable))
        (held, spent, posted) = try (store.table(Self.heldTable), store.table(Self.spentTable), store.table(Self.postedTable))
    }
}

extension Notices {
    /// An audience (0 for everybody) and the ranges in which the account receives its notices.
    private typealias Audience = (id: UInt128, stretches: [LogStretch])

    /// An account's notices, newest first. Reads at most `limit` + 1 entries, and some look-ups, for each shop and campaign of its cards.
    ///
    /// - Parameters:
    ///   - before: ``NoticePage/next`` of the previous page.
    ///   - limit: clamped to 1 to ``ReadModelLimits/pageItems``.
    public func notices(of account: AccountID, before: Position? = nil, limit: Int = 20) throws(ReadModelError) -> NoticePage {
        let limit = min(max(limit, 1), ReadModelLimits.pageItems)
        return try store.reading { (snapshot) throws(ReadModelError) in
            let shown = try store.mark(in: snapshot).position
            guard let member = try member(account, in: snapshot) else {
                return NoticePage(notices: [], next: nil, unread: 0, position: shown)
            }
            var (got, found): (UInt64, [(position: UInt64, notice: NoticeID)]) = (0, [])
            for audience in try audiences(of: account, member, in: snapshot) {
                got += try count(audience, in: snapshot)
                found += try newest(of: audience, before: before?.rawValue, count: limit + 1, in: snapshot)
            }
            found.sort { $0.position > $1.position }
            let items = try found.prefix(limit).map { (entry) throws(ReadModelError) in
                try received(entry.notice, by: account, in: snapshot)
            }
            let next = found.count > limit ? Position(found[limit - 1].position) : nil
            return NoticePage(notices: items, next: next, unread: Int(got - min(got, member.reads)), position: shown)
        }
    }

    /// The values of event tags that find an account's notices in the log: 0 for everybody, and each shop of a card. Ignores mutes.
    public func sources(of account: AccountID) throws(ReadModelError) -> [UInt128] {
        try store.reading { (snapshot) throws(ReadModelError) in
            var sources: [UInt128] = [0]
            try forEach(holders, of: account, in: snapshot) { (shop, _) throws(ReadModelError) in sources.append(shop) }
            return sources
        }
    }

    /// Whether an account receives a notice; false if the notice does not exist.
    public func isReceived(_ id: NoticeID, by account: AccountID) throws(ReadModelError) -> Bool {
        try store.reading { (snapshot) throws(ReadModelError) in
            guard let notice = try notice(id, in: snapshot), let member = try member(account, in: snapshot) else { return false }
            if let reminder = notice.reminder { return reminder.holder == account }
            if let alert = notice.alert { return alert.account == account }
            let audience = try audience(notice.audience, of: account, member, in: snapshot)
            return audience.stretches.contains { $0.after < notice.position && notice.position < $0.before }
        }
    }

    /// The newest notices to everybody, to a shop's customers, or to the holders of a campaign's cards.
    ///
    /// - Parameter limit: clamped to 1 to ``ReadModelLimits/pageItems``.
    public func posted(to audience: NoticeAudience, limit: Int) throws(ReadModelError) -> [PostedNotice] {
        let limit = min(max(limit, 1), ReadModelLimits.pageItems)
        return try store.reading { (snapshot) throws(ReadModelError) in
            var found: [NoticeID] = []
            try store.descend(audiences, of: audience.key, before: nil, in: snapshot) {
                (_, row) throws(ReadModelError) in
                found.append(try entry(row).notice)
                return found.count < limit
            }
            return try found.map { (id) throws(ReadModelError) in
                guard let notice = try notice(id, in: snapshot) else { throw store.damaged("the row of notice \(id.text) is missing") }
                return notice
            }
        }
    }

    func entry(_ row: Span<UInt8>) throws(ReadModelError) -> (notice: NoticeID, number: UInt64) {
        guard row.count == 24 else { throw store.damaged("an entry of an audience has \(row.count) bytes") }
        return (NoticeID(row.bigEndian128(at: 0)), row.littleEndian64(at: 16))
    }

    private func member(_ account: AccountID, in snapshot: borrowing Snapshot) throws(ReadModelError) -> NoticeMember? {
        try store.row(members, RowKey(account.value), in: snapshot)
    }

    private func notice(_ id: NoticeID, in snapshot: borrowing Snapshot) throws(ReadModelError) -> PostedNotice? {
        try store.value(notices, RowKey(id.value), in: snapshot) { (row) throws(ReadModelError) in
            guard let notice = NoticeRow.decode(row, id: id) else { throw store.damaged("the row of notice \(id.text) does not decode") }
            return notice
        }
    }

    private func received(_ id: NoticeID, by account: AccountID, in snapshot: borrowing Snapshot) throws(ReadModelError) -> ReceivedNotice {
        guard let notice = try notice(id, in: snapshot) else { throw store.damaged("the row of notice \(id.text) is missing") }
        let key = RowKey(account.value, and: id.value)
        let readAt = try store.value(reads, key, in: snapshot) { (row) throws(ReadModelError) in Position(try store.number(row)) }
        return ReceivedNotice(notice: notice, readAt: readAt)
    }

    private func audience(
        _ audience: NoticeAudience, of account: AccountID, _ member: NoticeMember, in snapshot: borrowing Snapshot
    ) throws(ReadModelError) -> Audience {
        switch audience {
        case .all: return (0, [LogStretch(after: member.since, before: .max)])
        case .shop(let shop):
            let key = RowKey(account.value, and: shop.value)
            let since = try store.value(holders, key, in: snapshot) { (row) throws(ReadModelError) in try store.number(row) }
            guard let since else { return (shop.value, []) }
            return try heard([LogStretch(after: since, before: .max)], shop.value, at: shop.value, by: account, in: snapshot)
        case .holders(let campaign, let shop):
            let cards: HeldCards? = try store.row(held, RowKey(account.value, and: campaign.value), in: snapshot)
            return try heard(cards?.stretches ?? [], campaign.value, at: shop.value, by: account, in: snapshot)
        }
    }

    private func audiences(
        of account: AccountID, _ member: NoticeMember, in snapshot: borrowing Snapshot
    ) throws(ReadModelError) -> [Audience] {
        // Reminders may be older than the registration, because a shop may have stamped for the phone number before.
        var audiences: [Audience] = [
            (0, [LogStretch(after: member.since, before: .max)]), (account.value, [LogStretch(after: 0, before: .max)]),
        ]
        try forEach(holders, of: account, in: snapshot) { (shop, row) throws(ReadModelError) in
            let stretches = [LogStretch(after: try store.number(row), before: .max)]
            audiences.append(try heard(stretches, shop, at: shop, by: account, in: snapshot))
        }
        try forEach(held, of: account, in: snapshot) { (campaign, row) throws(ReadModelError) in
            let cards: HeldCards = try store.decoded(row)
            audiences.append(try heard(cards.stretches, campaign, at: cards.shop, by: account, in: snapshot))
        }
        return audiences
    }

    private func heard(
        _ stretches: [LogStretch], _ id: UInt128, at shop: UInt128, by account: AccountID, in snapshot: borrowing Snapshot
    ) throws(ReadModelError) -> Audience {
        let mutes = try mutes(of: account, shop, in: snapshot).stretches
        return (id, stretches.flatMap { $0.without(mutes) })
    }

    func forEach(
        _ table: Table, of account: AccountID, in snapshot: borrowing Snapshot,
        _ body: (_ second: UInt128, _ row: Span<UInt8>) throws(ReadModelError) -> Void
    ) throws(ReadModelError) {
        try store.walk(table, of: account.value, from: RowKey(account.value, and: 0), keyBytes: 32, in: snapshot) {
            (key, row) throws(ReadModelError) in
            try body(key.bigEndian128(at: 16), row)
            return .next
        }
    }

    private func count(_ audience: Audience, in snapshot: borrowing Snapshot) throws(ReadModelError) -> UInt64 {
        var got: UInt64 = 0
        for stretch in audience.stretches {
            let last = try number(of: audience.id, before: stretch.before == .max ? nil : stretch.before, in: snapshot)
            if last > 0 { got += last - (try number(of: audience.id, before: stretch.after, in: snapshot)) }
        }
        return got
    }

    private func number(of audience: UInt128, before position: UInt64?, in snapshot: borrowing Snapshot) throws(ReadModelError) -> UInt64 {
        var number: UInt64 = 0
        try store.descend(audiences, of: audience, before: position, in: snapshot) { (_, row) throws(ReadModelError) in
            number = try entry(row).number
            return false
        }
        return number
    }

    /// The newest received notices of an audience. One seek skips all notices between two ranges.
    private func newest(
        of audience: Audience, before: UInt64?, count: Int, in snapshot: borrowing Snapshot
    ) throws(ReadModelError) -> [(position: UInt64, notice: NoticeID)] {
        var found: [(position: UInt64, notice: NoticeID)] = []
        for stretch in audience.stretches.reversed() where found.count < count && stretch.after < before ?? .max {
            let end = min(before ?? .max, stretch.before)
            try store.descend(audiences, of: audience.id, before: end == .max ? nil : end, in: snapshot) {
                (position, row) throws(ReadModelError) in
                guard position > stretch.after else { return false }
                found.append((position, try entry(row).notice))
                return found.count < count
            }
        }
        return found
    }
}

/// Some of an account's notices, newest first, and the number of all its unread ones.
public struct NoticePage: Hashable, Sendable {
    public let notices: [ReceivedNotice]
    /// Nil on the last page.
    public let next: Position?
    public let unread: Int
    /// The log position that the snapshot includes.
    public let position: Position
}

/// A notice as one of its receivers sees it.
public struct ReceivedNotice: Hashable, Sendable {
    public let notice: PostedNotice
    public let readAt: Position?

    public var isRead: Bool { readAt != nil }
}
