public import EventLog
public import LMDB
public import Loyalty
internal import LoyaltyCodec
public import Projections

/// The changes of a batch: new accounts, and first cards at shops. All others are written at once.
public struct NoticeChanges {
    var members: [(account: UInt128, since: UInt64)] = []
    /// First positions at which accounts opened cards at shops.
    var holders = FirstPositions()
    /// Rows in the transaction, which holds their pages until it ends.
    var written = 0

    var count: Int { members.count + holders.count + written }
}

@available(*, noasync)
extension Notices {
    /// Creates an empty set of changes.
    public func makePending(cachedMax: Int) -> NoticeChanges { NoticeChanges() }

    /// Rows of the next flush, plus those whose pages are in memory until the commit.
    public func changes(in pending: borrowing NoticeChanges) -> Int { pending.count }

    /// Applies posted and read notices, and events that decide about their receivers.
    public func apply(_ fact: Fact, to pending: inout NoticeChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        switch fact.event {
        case .accountRegistered(let event): pending.members.append((event.account.value, fact.position))
        case .cardOpened(let event):
            pending.holders.note(event.holder.value, event.campaignShop.value, at: fact.position)
            pending.written += try hold(fact, in: &transaction)
        case .waitingCardTaken(let event) where event.from != nil:
            pending.holders.note(event.holder.value, event.shop.value, at: fact.position)
            pending.written += try hold(fact, in: &transaction)
        case .cardReminded(let event):
            guard try !isMuted(event.shop, by: event.holder, in: transaction), let notice = PostedNotice(of: fact) else { return }
            try post(notice, in: &transaction)
            pending.written += 2
        case .searchAlerted:
            guard let notice = PostedNotice(of: fact) else { return }
            try post(notice, in: &transaction)
            pending.written += 2
        case .cardDiscarded, .cardRedeemed, .redemptionReversed, .cardExpired: pending.written += try hold(fact, in: &transaction)
        case .noticePosted(let event):
            try post(PostedNotice(event, of: fact), in: &transaction)
            pending.written += 3
        case .noticeRead(let event):
            try flushMembers(&pending, in: &transaction)
            if try read(event, at: fact.position, in: &transaction) { pending.written += 2 }
        case .shopMuted, .shopUnmuted: pending.written += try note(fact, in: &transaction)
        default: break
        }
    }

    /// Applies registrations, which are frequent, without decoding.
    public func applyUndecoded(
        _ record: borrowing Record, at position: Position, to pending: inout NoticeChanges, in transaction: inout WriteTransaction
    ) throws(ReadModelError) -> Bool {
        guard let registered = RegisteredAccount(record) else { return false }
        pending.members.append((registered.account, position.rawValue))
        return true
    }

    /// Writes the changes in key order.
    public func flush(_ pending: inout NoticeChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        try flushMembers(&pending, in: &transaction)
        pending.written = 0
        guard pending.holders.count > 0 else { return }
        var rows = try store.writer(holders, in: &transaction)
        try pending.holders.flush(into: &rows)
    }

    private func flushMembers(_ pending: inout NoticeChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        if pending.members.isEmpty { return }
        pending.members.sort { $0.account < $1.account }
        var rows = try store.writer(members, in: &transaction)
        var row: [UInt8] = []
        for (account, since) in pending.members {
            NoticeMember(since: since, reads: 0).encode(into: &row)
            try rows.put(RowKey(account), row.span)
        }
        pending.written += pending.members.count
        pending.members.removeAll(keepingCapacity: true)
    }

    private func post(_ notice: PostedNotice, in transaction: inout WriteTransaction) throws(ReadModelError) {
        let key = RowKey(notice.id.value)
        guard try !store.has(notices, key, in: transaction) else {
            throw ReadModelError(.eventRefused, model: Self.name, "notice \(notice.id.text) is posted a second time")
        }
        var row: [UInt8] = []
        NoticeRow.encode(notice, into: &row)
        try store.put(notices, key, row.span, in: &transaction)
        if !notice.isWordless, let shop = notice.audience.shop {
            try store.put(posted, RowKey(shop.value), number: notice.position, in: &transaction)
        }
        let audience = notice.key
        let bound = RowKey(audience, position: .max)
        let last = try store.newest(audiences, before: bound, in: transaction) { (_, row) throws(ReadModelError) in
            try entry(row).number
        }
        row.removeAll(keepingCapacity: true)
        row.append(copying: key.bytes)
        row.append(littleEndian: (last ?? 0) + 1)
        try store.put(audiences, RowKey(audience, position: notice.position), row.span, in: &transaction)
    }

    private func read(_ event: NoticeRead, at position: UInt64, in transaction: inout WriteTransaction) throws(ReadModelError) -> Bool {
        let key = RowKey(event.account.value, and: event.notice.value)
        if try store.has(reads, key, in: transaction) { return false }
        try store.put(reads, key, number: position, in: &transaction)
        let account = RowKey(event.account.value)
        guard var member: NoticeMember = try store.row(members, account, in: transaction) else {
            throw ReadModelError(.eventRefused, model: Self.name, "account \(event.account.text) has never registered")
        }
        member.reads += 1
        try store.put(members, account, member, in: &transaction)
        return true
    }
}
