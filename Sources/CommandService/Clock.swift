import Glibc
public import Loyalty
import Synchronization

/// The source of time. Callers pass it in, so that a run with the same times can be repeated and gives the same bytes.
///
/// Limits in memory (budgets, rates, codes sent to phones, ends of streams) use the steady clock. A token contains a time of day, so its
/// expiry is checked with the clock for the time of day.
public protocol Clock: Sendable {
    /// The present moment for events and tokens. May go backwards; the service makes its own time monotonic.
    func now() -> Instant

    /// The time since an arbitrary moment, for state in memory that expires. Nobody can set this clock, and only differences have a
    /// meaning. MUST not go backwards, and MUST advance while ``now()`` goes back.
    func steady() -> Instant
}

/// The machine's clocks.
public struct SystemClock: Clock {
    public init() {}

    public func now() -> Instant { Self.read(CLOCK_REALTIME) }

    /// The time since the machine started. It includes the time while the machine sleeps.
    public func steady() -> Instant { Self.read(CLOCK_BOOTTIME) }

    private static func read(_ clock: clockid_t) -> Instant {
        var time = timespec()
        // SAFETY: clock_gettime writes only to the local variable whose address it gets.
        unsafe clock_gettime(clock, &time)
        return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }
}

/// A clock that never goes back while the process runs, so that nothing that has expired becomes valid again.
///
/// If the machine's clock was fast and is set back, this clock runs a tenth slower until the machine's clock has caught up. If this clock
/// stopped instead, codes would stay valid for hours after a large correction. If it ran at full speed, it would stay ahead of the
/// machine's clock forever.
///
/// The writer, the reads and the maker of ids share one instance, so that a preview and the command that follows it use the same time. Any
/// thread may call.
package final class ForwardClock: Clock {
    /// The divisor of the slowing: while this clock is ahead of the machine's, it runs slower by one tenth.
    private static let slowing: Int64 = 10

    /// The times of the machine's two clocks, in microseconds, at the last moment when the machine's time of day was not behind this clock.
    /// Before the first such moment, ``time`` is the earliest time that may be returned.
    private struct Anchor {
        var time: Int64
        var steady: Int64
    }

    private let source: any Clock
    /// The times of both of the machine's clocks when this clock was created.
    private let begun: (time: Instant, steady: Instant)
    private let anchor: Mutex<Anchor>
    /// The latest moment that ``steady()`` returned, in microseconds.
    private let latestSteady: Atomic<Int64>

    /// - Parameter earliest: the earliest moment that ``now()`` may return.
    package init(_ source: any Clock, notBefore earliest: Instant) {
        self.source = source
        begun = (source.now(), source.steady())
        let steady = begun.steady.microseconds
        anchor = Mutex(Anchor(time: earliest.microseconds, steady: steady))
        latestSteady = Atomic(steady)
    }

    package func now() -> Instant {
        anchor.withLock { anchor in
            // Both clocks are read under the lock, so that no returned time is before an earlier one.
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
    /// Use it for steps that cannot be undone. If the machine's clock is set ahead, even for a moment, this time does not follow until the
    /// next start.
    package func passed() -> Instant {
        let told = now()
        return min(told, Instant(microseconds: begun.time.microseconds + steady().microseconds - begun.steady.microseconds))
    }

    /// Microseconds by which ``now()`` is ahead of the machine's clock, because the machine's clock was set back or was behind the earliest
    /// permitted time at the start; 0 if it is not ahead.
    package var leadMicroseconds: Int64 { max(0, now().microseconds - source.now().microseconds) }

    /// Microseconds that the machine's clock has gained on the time that passed since the start, because it was set ahead; 0 if none.
    package var gainMicroseconds: Int64 {
        let passed = steady().microseconds - begun.steady.microseconds
        return max(0, source.now().microseconds - begun.time.microseconds - passed)
    }

    package func steady() -> Instant {
        Instant(microseconds: latestSteady.max(source.steady().microseconds, ordering: .relaxed).newValue)
    }
}
