import Caches
import Loyalty

/// Bounds the rate at which the streams of each account read events from the log.
///
/// Without a bound, an account could resume many streams from the log's first event, each a request for a read of its whole history. After
/// a burst, its streams wait, but still give every event. An account's state is the moment at which the burst is back (generic cell rate
/// algorithm, ITU-T I.371), by the steady clock.
struct LivePace {
    /// Microseconds per event.
    private static let interval = 1_000_000 / Limits.liveReadEventsPerSecond
    /// Microseconds until a used burst is back.
    private static let fill = interval * Limits.liveReadEventsBurst

    private var fullAt = GenerationalCache<AccountID, Int64>(limit: Limits.livePacedAccountsMax)

    mutating func allowsRead(by account: AccountID, at now: Instant) -> Bool {
        guard let full = fullAt[account] else { return true }
        return full - now.microseconds <= Self.fill
    }

    mutating func count(_ events: Int, readBy account: AccountID, at now: Instant) {
        guard events > 0 else { return }
        fullAt[account] = max(fullAt[account] ?? now.microseconds, now.microseconds) + Self.interval * Int64(events)
    }
}
