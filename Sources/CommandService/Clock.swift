import Glibc
public import Loyalty
import Synchronization

/// The source of time, passed in so that a run can be repeated to the same bytes.
///
/// Limits in memory (budgets, rates, codes sent to phones, ends of streams) use the steady clock. A token carries a time of day, so its
/// expiry uses that clock.
public protocol Clock: Sendable {
    /// The present moment for events and tokens. May go backwards; the service makes its own time monotonic.
    func now() -> Instant

    /// The time since an arbitrary moment, for state in memory that ends after a while. Nobody can set this clock, and only differences
    /// mean anything. MUST not go backwards, and MUST go on when ``now()`` goes back.
    func steady() -> Instant
}

/// The machine's clocks.
public struct SystemClock: Clock {
    public init() {}

    public func now() -> Instant { Self.read(CLOCK_REALTIME) }

    /// Also counts the time while the machine sleeps.
    public func steady() -> Instant { Self.read(CLOCK_BOOTTIME) }

    private static func read(_ clock: clockid_t) -> Instant {
        var time = timespec()
        // SAFETY: clock_gettime writes only into the local that it is passed.
        unsafe clock_gettime(clock, &time)
        return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }
}

/// A clock that never goes back while the process runs, so that nothing that has expired becomes valid again.
///
/// If the machine's time was ahead and is corrected, this clock goes on a tenth slower until the machine has caught up. Standing still
/// would keep every code valid for as long as the error was large; running at full speed would keep the error for ever.
///
/// The writer, the reads and the ids share one, so that a preview and the command that follows it judge by the same time.
/// Any thread may ask.
package final class ForwardClock: Clock {
    /// While the machine's time is behind, this clock runs slower by one part in this many.
    private static let slowing: Int64 = 10

    /// The last moment at which the machine's time was not behind this clock's, by both of the machine's clocks, in microseconds.
    private struct Anchor {
        var time: Int64
        var steady: Int64
    }

    private let source: any Clock
    /// The machine's clocks at the beginning.
    private let begun: (time: Instant, steady: Instant)
    private let anchor: Mutex<Anchor>
    /// The latest steady moment returned, in microseconds.
    private let latestSteady: Atomic<Int64>

    /// - Parameter earliest: the moment that no answer lies before.
    package init(_ source: any Clock, notBefore earliest: Instant) {
        self.source = source
        begun = (source.now(), source.steady())
        let steady = begun.steady.microseconds
        anchor = Mutex(Anchor(time: earliest.microseconds, steady: steady))
        latestSteady = Atomic(steady)
    }

    package func now() -> Instant {
        anchor.withLock { anchor in
            // Both are read under the lock, so that no answer is older than an earlier one.
            let (time, steady) = (source.now().microseconds, source.steady().microseconds)
            let passed = max(0, steady - anchor.steady)
            let told = anchor.time + passed - passed / Self.slowing
            guard time >= told else { return Instant(microseconds: told) }
            anchor = Anchor(time: time, steady: max(steady, anchor.steady))
            return Instant(microseconds: time)
        }
    }

    /// The machine's time at the start of the process plus the time elapsed since, or ``now()`` if that is earlier.
    ///
    /// For what cannot be undone: a time that was set ahead, for a moment or for good, does not count until the next start.
    package func passed() -> Instant {
        let told = now()
        return min(told, Instant(microseconds: begun.time.microseconds + steady().microseconds - begun.steady.microseconds))
    }

    /// Microseconds that the told time is ahead of the machine's, since that was set back; 0 where they agree.
    package var leadMicroseconds: Int64 { max(0, now().microseconds - source.now().microseconds) }

    package func steady() -> Instant {
        Instant(microseconds: latestSteady.max(source.steady().microseconds, ordering: .relaxed).newValue)
    }
}
