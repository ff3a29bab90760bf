public import EventLog
internal import Loyalty
internal import LoyaltyCodec

/// Where a replay ends.
public enum ReplayBound: Hashable, Sendable {
    /// At the head, as it is when the replay begins.
    case head
    /// With this event; beyond the head counts as the head.
    case position(Position)
    /// Before the first event later than this: the log as it stood then. Events imported afterwards stand behind it, even
    /// where they tell of earlier days.
    case time(Timestamp)

    /// A position in decimal, or a time as RFC 3339 (`2026-11-21T09:00:00Z`); nil for anything else.
    public init?(text: String) {
        if let number = UInt64(text) {
            self = .position(Position(number))
        } else if let instant = Instant(rfc3339: text) {
            self = .time(Timestamp(microseconds: instant.microseconds))
        } else {
            return nil
        }
    }

    /// The last position that may be looked at.
    func through(_ head: Position) -> Position {
        if case .position(let position) = self { return min(position, head) }
        return head
    }

    /// Whether an event lies beyond.
    @inline(__always)
    func ends(before record: borrowing Record) -> Bool {
        if case .time(let time) = self { return record.time.microseconds > time.microseconds }
        return false
    }
}
