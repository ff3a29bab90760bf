import EventLog
import LoyaltyCodec
import Synchronization

/// The newest event after which a public page may say something else.
///
/// In a busy hour nearly all events are codes, stamps and rewards. Public pages use these only to say which campaigns are popular and who
/// has a card, and these facts may be a second old. Everything else on a public page changes by events that are not in ``quiet``.
final class PublicChanges: Sendable {
    /// The maximum number of new events that are read. If there are more, the newest counts as a change, because reading them would cost
    /// more than making the page.
    static let lookedThroughMax = 4_096

    /// Events of people's own cards, sessions and messages. A type that is not here is a change.
    static let quiet: Set<EventType> = [
        .accountRegistered, .sessionStarted, .sessionRefreshed, .sessionEnded, .passwordSet, .passwordRemoved, .phoneChanged,
        .phoneChangeRequested, .phoneChangeEnded, .accountSearched, .codeIssued, .codeDestroyed, .paperCardsPrinted, .paperStamped,
        .paperCardTaken, .paperStampReversed, .cardOpened, .cardStamped, .cardDiscarded, .cardAdjusted, .stampReversed, .cardExpired,
        .cardReminded, .redemptionRequested, .cardRedeemed, .redemptionReversed, .milestoneRequested, .milestoneRedeemed,
        .milestoneReversed, .noticePosted, .noticeRead, .noticeScheduled, .noticeWithdrawn, .noticeLapsed, .feedbackGiven, .shopMuted,
        .shopUnmuted,
    ]

    private struct Seen {
        /// The position up to which events were read.
        var through: Position
        var newest: Position
    }

    private let seen = Mutex(Seen?.none)

    /// The position of the newest change that is on disk; at first, of the newest event of all.
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
                // The page that is made then meets the damage, too, and says so.
                newest = head
            }
            seen = Seen(through: head, newest: newest)
            return newest
        }
    }
}
