import EventLog
import LoyaltyCodec
import Synchronization

/// Finds the newest event that may have changed a public page.
///
/// In a busy hour nearly all events are of the types in ``quiet``, such as codes, stamps and rewards. Public pages use these events only to
/// show whether the author of a review has a card, which may be a second out of date. Everything else on a public page changes only by
/// events of other types, or by time.
final class PublicChanges: Sendable {
    /// The maximum number of new events that are examined. If there are more, the newest event counts as a change, because examining all of
    /// them would cost more than making the page.
    static let lookedThroughMax = 4_096

    /// The types of events after which a kept page may be sent for up to a second more: those of cards, codes, sessions, notices, lapsed
    /// offers and the like. An event of any other type counts as a change.
    static let quiet: Set<EventType> = [
        .accountRegistered, .sessionStarted, .sessionRefreshed, .sessionEnded, .passwordSet, .passwordRemoved, .phoneChanged,
        .phoneChangeRequested, .phoneChangeEnded, .accountSearched, .codeIssued, .codeDestroyed, .paperCardsPrinted, .paperStamped,
        .paperCardTaken, .paperStampReversed, .cardOpened, .cardStamped, .cardDiscarded, .cardAdjusted, .stampReversed, .cardExpired,
        .cardReminded, .waitingCardTaken, .redemptionRequested, .cardRedeemed, .redemptionReversed, .milestoneRequested, .milestoneRedeemed,
        .milestoneReversed, .noticePosted, .noticeRead, .noticeScheduled, .noticeWithdrawn, .noticeLapsed, .feedbackGiven, .shopMuted,
        .shopUnmuted, .transferLapsed,
    ]

    private struct Seen {
        /// The position up to which events were examined.
        var through: Position
        var newest: Position
    }

    private let seen = Mutex(Seen?.none)

    /// The position of the newest change that is on disk. At the first call, this is the position of the newest event.
    func newest(in log: EventLog) -> Position {
        let head = log.head
        return seen.withLock { seen in
            guard let before = seen, head.rawValue - min(head, before.through).rawValue <= UInt64(Self.lookedThroughMax) else {
                seen = Seen(through: head, newest: head)
                return head
            }
            guard before.through < head else { return before.newest }
            var newest = before.newest
            do {
                try log.scan(after: before.through, through: head) { position, record in
                    if !Self.quiet.contains(record.type) { newest = position }
                    return true
                }
            } catch {
                // A damaged log is treated like a change: the page is then made again, which finds and reports the damage.
                newest = head
            }
            seen = Seen(through: head, newest: newest)
            return newest
        }
    }
}
