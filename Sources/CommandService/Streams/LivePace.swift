import Caches
import Loyalty

/// Bounds the rate at which the streams of each account read events from the log, whether to begin or to give past events.
///
/// A stream may resume after any position, so that it has no gap. Without a bound, an account with a long history could open streams from
/// the log's first event repeatedly. Each would cost the client one request, and the service a read of the whole history. An account may
/// read a burst of events at once. When its streams have read more, they wait before the next read until the rate allows it. So they are
/// slower, but still give every event. Events that the hub delivers from its own reading of the log are not counted.
///
/// The state of an account is one number, as in the generic cell rate algorithm (ITU-T I.371): the moment at which the whole burst is
/// available again. It is kept after the account's streams have closed, in a cache of bounded size. Reads that begin concurrently may
/// exceed the burst, but each of their events delays the next read. All times are those of the steady clock.
struct LivePace {
    /// Microseconds in which one event becomes available again.
    private static let interval = 1_000_000 / Limits.liveReadEventsPerSecond
    /// Microseconds in which a used burst becomes available again.
    private static let fill = interval * Limits.liveReadEventsBurst

    private var fullAt = GenerationalCache<AccountID, Int64>(limit: Limits.livePacedAccountsMax)

    /// Whether the account's streams may read the log now.
    mutating func allowsRead(by account: AccountID, at now: Instant) -> Bool {
        guard let full = fullAt[account] else { return true }
        return full - now.microseconds <= Self.fill
    }

    /// Counts events that a stream of the account has read from the log.
    mutating func count(_ events: Int, readBy account: AccountID, at now: Instant) {
        guard events > 0 else { return }
        fullAt[account] = max(fullAt[account] ?? now.microseconds, now.microseconds) + Self.interval * Int64(events)
    }
}
