public import LMDB
public import Loyalty
internal import LoyaltyCodec

@available(*, noasync)
extension Notices {
    /// Everything goes straight into the transaction: notices are rare, and accounts and their first cards are written once.
    public func makePending(cachedMax: Int) -> DirectChanges { DirectChanges() }

    /// Rows whose pages wait for the commit.
    public func changes(in pending: borrowing DirectChanges) -> Int { pending.rows }

    /// Notes who may get notices, takes a notice in, or notes that it was read.
    public func apply(
        _ fact: Fact, to pending: inout DirectChanges, in transaction: inout WriteTransaction
    ) throws(ReadModelError) {
        switch fact.event {
        case .accountRegistered(let event):
            try put(NoticeMember(since: fact.position, reads: 0), of: event.account, in: &transaction)
            pending.rows += 1
        case .cardOpened(let event):
            let key = RowKey(event.holder.value, and: event.shop.value)
            if try putOnce(holders, key, fact.position, in: &transaction) { pending.rows += 1 }
        case .noticePosted(let event):
            try post(PostedNotice(event, of: fact), in: &transaction)
            pending.rows += 2
        case .noticeRead(let event):
            if try read(event, at: fact.position, in: &transaction) { pending.rows += 2 }
        default: break
        }
    }

    /// Everything is written already.
    public func flush(_ pending: inout DirectChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        pending.rows = 0
    }

    /// Two rows: the notice, and its place among those of its audience.
    private func post(_ notice: PostedNotice, in transaction: inout WriteTransaction) throws(ReadModelError) {
        let key = RowKey(notice.id.value)
        guard try !store.has(notices, key, in: transaction) else {
            throw ReadModelError(.eventRefused, model: Self.name, "notice \(notice.id.text) is posted a second time")
        }
        var row: [UInt8] = []
        NoticeRow.encode(notice, into: &row)
        try store.put(notices, key, row.span, in: &transaction)
        let audience = notice.audience.tagValue
        let bound = RowKey(audience, position: .max)
        let last = try store.newest(audiences, before: bound, in: transaction) { (_, row) throws(ReadModelError) in
            try entry(row).number
        }
        row.removeAll(keepingCapacity: true)
        row.append(copying: key.bytes)
        row.append(littleEndian: (last ?? 0) + 1)
        try store.put(audiences, RowKey(audience, position: notice.position), row.span, in: &transaction)
    }

    /// Two rows, or none where it was read before.
    ///
    /// - Returns: whether it is read for the first time.
    private func read(
        _ event: NoticeRead, at position: UInt64, in transaction: inout WriteTransaction
    ) throws(ReadModelError) -> Bool {
        let key = RowKey(event.account.value, and: event.notice.value)
        guard try putOnce(reads, key, position, in: &transaction) else { return false }
        let known = try store.value(members, RowKey(event.account.value), in: transaction) { (row) throws(ReadModelError) in
            try member(row)
        }
        guard var known else {
            throw ReadModelError(.eventRefused, model: Self.name, "account \(event.account.text) has never registered")
        }
        known.reads += 1
        try put(known, of: event.account, in: &transaction)
        return true
    }

    private func put(_ member: NoticeMember, of account: AccountID, in transaction: inout WriteTransaction) throws(ReadModelError) {
        var row: [UInt8] = []
        member.encode(into: &row)
        try store.put(members, RowKey(account.value), row.span, in: &transaction)
    }

    /// Whether there was no such row yet: the first position is the one that counts.
    private func putOnce(
        _ table: Table, _ key: RowKey, _ position: UInt64, in transaction: inout WriteTransaction
    ) throws(ReadModelError) -> Bool {
        guard try !store.has(table, key, in: transaction) else { return false }
        var row: [UInt8] = []
        row.append(littleEndian: position)
        try store.put(table, key, row.span, in: &transaction)
        return true
    }
}
