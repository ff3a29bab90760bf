public import EventLog
public import LMDB
public import Loyalty
internal import LoyaltyCodec
public import Projections

/// Counts the changes of a batch. They are made in the transaction at once, because hardly any entry is set and removed in one batch.
public struct DeadlineChanges {
    var written = 0
}

@available(*, noasync)
extension Deadlines {
    /// Creates an empty set of changes.
    public func makePending(cachedMax: Int) -> DeadlineChanges { DeadlineChanges() }

    /// Their pages stay in memory until the commit.
    public func changes(in pending: borrowing DeadlineChanges) -> Int { pending.written }

    /// Adds entries for due things, and removes those that happened or can no longer happen.
    public func apply(_ fact: Fact, to pending: inout DeadlineChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        switch fact.event {
        case .noticeScheduled(let event):
            try schedule(event, at: fact.position, in: &transaction)
            pending.written += 3
        case .noticePosted(let event) where event.dueAt != nil: pending.written += try end(event.notice, in: &transaction)
        case .noticeWithdrawn(let event): pending.written += try end(event.notice, in: &transaction)
        case .noticeLapsed(let event): pending.written += try end(event.notice, in: &transaction)
        case .transferOffered(let event): pending.written += try offer(event, at: fact.position, in: &transaction)
        case .transferLapsed(let event): pending.written += try endOffer(event.invitation, of: event.shop, in: &transaction)
        case .shopTransferred(let event): pending.written += try endOffer(event.invitation, of: event.shop, in: &transaction)
        case .invitationEnded(let event): pending.written += try endOffer(event.invitation, of: event.shop, in: &transaction)
        case .accountErased(let event): pending.written += try forgetCards(of: event.account, in: &transaction)
        case .shopClosed(let event): pending.written += try close(event, fact, in: &transaction)
        default: pending.written += try age(fact, in: &transaction)
        }
    }

    /// Skips cards without an end, which are most cards, without decoding them.
    public func applyUndecoded(
        _ record: borrowing Record, at position: Position, to pending: inout DeadlineChanges, in transaction: inout WriteTransaction
    ) throws(ReadModelError) -> Bool {
        OpenedCard(record) != nil
    }

    /// Only resets the count, because every change is in the transaction already.
    public func flush(_ pending: inout DeadlineChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        pending.written = 0
    }

    private func schedule(_ event: NoticeScheduled, at position: UInt64, in transaction: inout WriteTransaction) throws(ReadModelError) {
        let (key, deadline) = (
            RowKey(event.notice.value), NoticeDeadline(dueAt: event.publishAt, author: event.author.value, position: position)
        )
        try store.put(notices, key, deadline, in: &transaction)
        try store.put(scheduled, RowKey(event.author.value, position: position), key.bytes, in: &transaction)
        try put(DueEntry(dueAt: event.publishAt, .notice(event.notice)), at: position, in: &transaction)
    }

    func put(_ entry: DueEntry, at position: UInt64, in transaction: inout WriteTransaction) throws(ReadModelError) {
        try store.put(due, entry.key, number: position, in: &transaction)
    }

    private func end(_ notice: NoticeID, in transaction: inout WriteTransaction) throws(ReadModelError) -> Int {
        let key = RowKey(notice.value)
        guard let known: NoticeDeadline = try store.row(notices, key, in: transaction) else {
            throw ReadModelError(.eventRefused, model: Self.name, "notice \(notice.text) was not scheduled, or has ended before")
        }
        try store.delete(notices, key, in: &transaction)
        try store.delete(scheduled, RowKey(known.author, position: known.position), in: &transaction)
        try store.delete(due, DueEntry(dueAt: known.dueAt, .notice(notice)).key, in: &transaction)
        return 3
    }
}
