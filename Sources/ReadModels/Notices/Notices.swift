public import EventLog
internal import LMDB
public import Loyalty
internal import LoyaltyCodec
public import Projections

/// The notices that each account receives, and those that it has read.
///
/// A notice to everybody is one row, and each account that was registered before the notice receives it. An account receives a shop's
/// notice if its first card at the shop is older than the notice. It receives a notice to the holders of a campaign's cards if it held such
/// a card at the notice's position. While it has muted the shop, it receives neither kind. A reminder about a card has one receiver, and is
/// not stored if that account had muted the shop.
///
/// Titles and texts stay sealed here. Reads are synchronous and take one snapshot each; they never wait for the writer.
public final class Notices: ReadModel {
    public static let name = "notices"
    public static let schemaVersion = 3
    public static let eventTypes: Set<EventType> = [
        .accountRegistered, .cardOpened, .cardDiscarded, .cardRedeemed, .redemptionReversed, .cardExpired, .cardReminded, .noticePosted,
        .noticeRead, .shopMuted, .shopUnmuted, .waitingCardTaken,
    ]
    public static let tables = [
        noticeTable, audienceTable, memberTable, holderTable, readTable, muteTable, heldTable, spentTable, postedTable,
    ]
    public static let bytesPerChange = 128

    /// The table of notices: notice → ``NoticeRow``.
    static let noticeTable = ModelTable("notices", key: [.notice]) { NoticeRow.text($0) }
    /// The table of audiences: audience and position → notice, 16 bytes, and its number among the notices of that audience, u64 from 1. The
    /// audience is a shop, a campaign (for the holders of its cards), an account (for reminders of its cards), or 0 (for everybody).
    static let audienceTable = ModelTable("audiences", key: [.shop, .position]) { row in
        row.count == 24 ? "\(NoticeID(row.bigEndian128(at: 0)).text), number \(row.littleEndian64(at: 16))" : nil
    }
    /// The table of accounts: account → ``NoticeMember``.
    static let memberTable = ModelTable("members", key: [.account]) { row in
        NoticeMember(row).map { "registered at position \($0.since), \($0.reads) read" }
    }
    /// The table of customers: account and shop → the position at which the account opened its first card there, u64.
    static let holderTable = ModelTable("holders", key: [.account, .shop]) { row in
        row.count == 8 ? "first card at position \(row.littleEndian64(at: 0))" : nil
    }
    /// The table of readings: account and notice → the position at which the account read it, u64.
    static let readTable = ModelTable("reads", key: [.account, .notice]) { row in
        row.count == 8 ? "read at position \(row.littleEndian64(at: 0))" : nil
    }

    /// The table of mutes: account and shop → ``MuteRow``. A row exists only if the mute lasts, or if the shop posted something during a
    /// mute.
    static let muteTable = ModelTable("mutes", key: [.account, .shop]) { MuteRow.text($0) }

    /// The table of held cards: account and campaign → ``HeldRow``.
    static let heldTable = ModelTable("held", key: [.account, .campaign]) { HeldRow.text($0) }
    /// The table of cards that are no longer held, but may still be discarded: card → 1.
    static let spentTable = ModelTable("spent", key: [.card]) { row in row.count == 1 ? "redeemed or expired" : nil }

    /// The table of shops: shop → the position of its newest notice to any audience, u64. Reminders about cards do not count here.
    static let postedTable = ModelTable("posted", key: [.shop]) { row in
        row.count == 8 ? "newest notice at position \(row.littleEndian64(at: 0))" : nil
    }

    public let store: ModelStore
    let notices: Table
    let audiences: Table
    let members: Table
    let holders: Table
    let reads: Table
    let mutes: Table
    let held: Table
    let spent: Table
    let posted: Table

    public init(_ store: ModelStore) throws(ReadModelError) {
        self.store = store
        notices = try store.table(Self.noticeTable)
        audiences = try store.table(Self.audienceTable)
        members = try store.table(Self.memberTable)
        holders = try store.table(Self.holderTable)
        reads = try store.table(Self.readTable)
        mutes = try store.table(Self.muteTable)
        held = try store.table(Self.heldTable)
        spent = try store.table(Self.spentTable)
        posted = try store.table(Self.postedTable)
    }
}

extension Notices {
    /// One audience to which an account belongs, and the ranges of log positions in which the account receives the audience's notices. The
    /// audience is the customers of a shop, the holders of a campaign's cards, the account alone, or everybody (id 0).
    private typealias Audience = (id: UInt128, stretches: [LogStretch])

    /// An account's notices, newest first. The read takes a few look-ups for each shop and campaign of which the account has had a card,
    /// and for each range in which it missed notices. For each shop and campaign it reads at most one entry more than `limit`.
    ///
    /// - Parameters:
    ///   - before: ``NoticePage/next`` of the previous page; nil begins with the newest notice.
    ///   - limit: the maximum number of notices, 1 to ``ReadModelLimits/pageItems``; a value outside this range is replaced by the nearest
    ///     bound.
    /// - Throws: ``ReadModelError/Code/damaged``, ``ReadModelError/Code/storage``.
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
                // One notice more than requested is read. It shows whether there is a next page.
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

    /// The values of the event tags by which an account's notices are found in the log: 0 for notices to everybody, and the id of each shop
    /// at which the account has had a card. Notices to the holders of a campaign's cards also have the tag of the campaign's shop. Mutes
    /// are ignored here.
    ///
    /// - Throws: ``ReadModelError/Code/damaged``, ``ReadModelError/Code/storage``.
    public func sources(of account: AccountID) throws(ReadModelError) -> [UInt128] {
        try store.reading { (snapshot) throws(ReadModelError) in
            var sources: [UInt128] = [0]
            try forEach(holders, of: account, in: snapshot) { (shop, _) throws(ReadModelError) in sources.append(shop) }
            return sources
        }
    }

    /// Whether an account receives a notice; false if the notice does not exist.
    ///
    /// - Throws: ``ReadModelError/Code/damaged``, ``ReadModelError/Code/storage``.
    public func isReceived(_ id: NoticeID, by account: AccountID) throws(ReadModelError) -> Bool {
        try store.reading { (snapshot) throws(ReadModelError) in
            guard let notice = try notice(id, in: snapshot), let member = try member(account, in: snapshot) else { return false }
            if let reminder = notice.reminder { return reminder.holder == account }
            let audience = try audience(notice.audience, of: account, member, in: snapshot)
            return audience.stretches.contains { $0.after < notice.position && notice.position < $0.before }
        }
    }

    func member(_ row: Span<UInt8>) throws(ReadModelError) -> NoticeMember {
        guard let member = NoticeMember(row) else { throw store.damaged("the row of an account does not decode") }
        return member
    }

    func entry(_ row: Span<UInt8>) throws(ReadModelError) -> (notice: NoticeID, number: UInt64) {
        guard row.count == 24 else { throw store.damaged("an entry of an audience has \(row.count) bytes") }
        return (NoticeID(row.bigEndian128(at: 0)), row.littleEndian64(at: 16))
    }

    private func member(_ account: AccountID, in snapshot: borrowing Snapshot) throws(ReadModelError) -> NoticeMember? {
        try store.value(members, RowKey(account.value), in: snapshot) { (row) throws(ReadModelError) in try member(row) }
    }

    private func notice(_ id: NoticeID, in snapshot: borrowing Snapshot) throws(ReadModelError) -> PostedNotice? {
        try store.value(notices, RowKey(id.value), in: snapshot) { (row) throws(ReadModelError) in
            guard let notice = NoticeRow.decode(row, id: id) else {
                throw store.damaged("the row of notice \(id.text) does not decode")
            }
            return notice
        }
    }

    private func received(
        _ id: NoticeID, by account: AccountID, in snapshot: borrowing Snapshot
    ) throws(ReadModelError) -> ReceivedNotice {
        guard let notice = try notice(id, in: snapshot) else { throw store.damaged("the row of notice \(id.text) is missing") }
        let key = RowKey(account.value, and: id.value)
        let readAt = try store.value(reads, key, in: snapshot) { (row) throws(ReadModelError) in Position(try store.number(row)) }
        return ReceivedNotice(notice: notice, readAt: readAt)
    }

    /// One audience, with the ranges in which the account receives its notices.
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
            let key = RowKey(account.value, and: campaign.value)
            let cards = try store.value(held, key, in: snapshot) { (row) throws(ReadModelError) in try heldCards(row) }
            return try heard(cards?.stretches ?? [], campaign.value, at: shop.value, by: account, in: snapshot)
        }
    }

    private func audiences(
        of account: AccountID, _ member: NoticeMember, in snapshot: borrowing Snapshot
    ) throws(ReadModelError) -> [Audience] {
        // Reminders about cards may be older than the account's registration, because a shop may have given stamps to the account's phone
        // number before.
        var audiences: [Audience] = [
            (0, [LogStretch(after: member.since, before: .max)]), (account.value, [LogStretch(after: 0, before: .max)]),
        ]
        try forEach(holders, of: account, in: snapshot) { (shop, row) throws(ReadModelError) in
            let stretches = [LogStretch(after: try store.number(row), before: .max)]
            audiences.append(try heard(stretches, shop, at: shop, by: account, in: snapshot))
        }
        try forEach(held, of: account, in: snapshot) { (campaign, row) throws(ReadModelError) in
            let cards = try heldCards(row)
            audiences.append(try heard(cards.stretches, campaign, at: cards.shop, by: account, in: snapshot))
        }
        return audiences
    }

    /// Creates an audience with the given ranges, except for the parts in which the account had muted the shop.
    private func heard(
        _ stretches: [LogStretch], _ id: UInt128, at shop: UInt128, by account: AccountID, in snapshot: borrowing Snapshot
    ) throws(ReadModelError) -> Audience {
        let mutes = try mutes(of: account, shop, in: snapshot).stretches
        return (id, stretches.flatMap { $0.without(mutes) })
    }

    /// Calls `body` with each row of an account in a table, and with the second id in the row's key.
    func forEach(
        _ table: Table, of account: AccountID, in snapshot: borrowing Snapshot,
        _ body: (_ second: UInt128, _ row: Span<UInt8>) throws(ReadModelError) -> Void
    ) throws(ReadModelError) {
        do {
            var cursor = try snapshot.cursor(table)
            let start = RowKey(account.value, and: 0)
            var goesOn = try cursor.seek(start.bytes)
            while goesOn, cursor.key.count == 32, cursor.key.bigEndian128(at: 0) == account.value {
                try body(cursor.key.bigEndian128(at: 16), cursor.value)
                goesOn = try cursor.next()
            }
        } catch {
            throw store.wrapped(error)
        }
    }

    /// The number of notices that an account received as part of an audience. Notices of an audience are numbered without gaps, so the
    /// number of notices in a range is the difference of the numbers at its two ends.
    private func count(_ audience: Audience, in snapshot: borrowing Snapshot) throws(ReadModelError) -> UInt64 {
        var got: UInt64 = 0
        for stretch in audience.stretches {
            let last = try number(of: audience.id, before: stretch.before == .max ? nil : stretch.before, in: snapshot)
            // For an audience without notices, one look-up suffices.
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

    /// The newest notices of an audience that the account receives. Notices between two ranges are skipped with one seek, however many they
    /// are.
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

/// Some of an account's notices, newest first, and the number of all its unread notices.
public struct NoticePage: Hashable, Sendable {
    public let notices: [ReceivedNotice]
    /// The position from which the next page continues; nil on the last page.
    public let next: Position?
    /// All unread notices of the account, not only those on this page.
    public let unread: Int
    /// The log position that the snapshot includes; see ``ReadModels/position(of:)``.
    public let position: Position

    init(notices: [ReceivedNotice], next: Position?, unread: Int, position: Position) {
        self.position = position
        self.notices = notices
        self.next = next
        self.unread = unread
    }
}

/// A notice as one of its receivers sees it.
public struct ReceivedNotice: Hashable, Sendable {
    public let notice: PostedNotice
    /// The position at which the receiver marked the notice as read; nil if it did not.
    public let readAt: Position?

    /// Whether the receiver has marked the notice as read.
    public var isRead: Bool { readAt != nil }

    init(notice: PostedNotice, readAt: Position?) {
        self.notice = notice
        self.readAt = readAt
    }
}
