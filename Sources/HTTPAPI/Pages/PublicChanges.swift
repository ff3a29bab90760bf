import EventLog
import LoyaltyCodec
import Synchronization

/// Finds the newest event that may have changed a public page. Nearly all events in a busy hour are ``quiet``: pages use them only to show
/// whether a review's author has a card.
final class PublicChanges: Sendable {
    /// With more new events, the newest counts as a change, because examining all would cost more than the page.
    static let lookedThroughMax = 4_096

    /// After these events, a kept page may be sent for up to a second more.
    static let quiet: Set<EventType> = [
        .accountRegistered, .sessionStarted, .sessionRefreshed, .sessionEnded, .passwordSet, .passwordRemoved, .phoneChanged,
        .phoneChangeRequested, .phoneChangeEnded, .accountSearched, .codeIssued, .codeDestroyed, .paperCardsPrinted, .paperStamped,
        .paperCardTaken, .paperStampReversed, .cardOpened, .cardStamped, .cardDiscarded, .cardAdjusted, .stampReversed, .cardExpired,
        .cardReminded, .waitingCardTaken, .redemptionRequested, .cardRedeemed, .redemptionReversed, .milestoneRequested, .milestoneRedeemed,
        .milestoneReversed, .noticePosted, .noticeRead, .noticeScheduled, .noticeWithdrawn, .noticeLapsed, .feedbackGiven, .shopMuted,
        .shopUnmuted, .transferLapsed,
    ]

    private struct Seen {
        var through: Position
        var newest: Position
    }

    private let seen = Mutex(Seen?.none)

    /// The newest change on disk; at the first call, the newest event.
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
                // Damage counts as a change: the page is made again, which reports it.
                newest = head
            }
            seen = Seen(through: head, newest: newest)
            return newest
        }
    }
}
