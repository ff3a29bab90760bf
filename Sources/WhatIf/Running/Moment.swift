internal import EventLog
internal import Loyalty
internal import LoyaltyCodec

/// Where in a log changed rules begin, or a what-if ends.
public enum Moment: Hashable, Sendable {
    /// At this event.
    case position(UInt64)
    /// Microseconds since 1970.
    case time(microseconds: Int64)

    /// A position (`1000`), a time (`2026-11-21T09:00:00Z`) or a day, which begins at midnight UTC (`2026-11-21`).
    public init?(text: String) {
        if let number = UInt64(text) {
            self = .position(number)
        } else if let instant = Instant(rfc3339: text) ?? Instant(rfc3339: text + "T00:00:00Z") {
            self = .time(microseconds: instant.microseconds)
        } else {
            return nil
        }
    }

    /// Whether an event is at this moment or behind it.
    func isReached(at position: Position, _ time: Timestamp) -> Bool {
        switch self {
        case .position(let number): position.rawValue >= number
        case .time(let microseconds): time.microseconds >= microseconds
        }
    }

    /// Whether an event is behind this moment.
    func isPassed(at position: Position, _ time: Timestamp) -> Bool {
        switch self {
        case .position(let number): position.rawValue > number
        case .time(let microseconds): time.microseconds > microseconds
        }
    }
}
