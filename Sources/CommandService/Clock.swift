import Glibc
public import Loyalty
import Synchronization

/// The source of time, passed in so that a run can be repeated. Limits in memory use the steady clock, and tokens ``now()``.
public protocol Clock: Sendable {
    /// The present moment for events and tokens. May go backwards; the service makes its own time monotonic.
    func now() -> Instant

    /// The time since an arbitrary moment. MUST not go backwards, and MUST advance while ``now()`` goes back.
    func steady() -> Instant
}

/// The machine's clocks.
public struct SystemClock: Clock {
    public init() {}

    public func now() -> Instant { Self.read(CLOCK_REALTIME) }

    public func steady() -> Instant { Self.read(CLOCK_BOOTTIME) }

    private static func read(_ clock: clockid_t) -> Instant {
        var time = timespec()
        // SAFETY: clock_gettime writes only to the local variable whose address it gets.
        unsafe clock_gettime(clock, &time)
        return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }
}

/// A clock that never goes back while the process runs, so that nothing that has expired becomes valid again. Any thread may call.
///
/// If the machine's clock is set back, this clock runs a tenth slower until both agree; if it stopped, codes would stay valid for hours.
/// The writer, the reads and the maker of ids share one instance, so that a preview and its command use the same time.
package final class ForwardClock: Clock {
    private static let slowing: Int64 = 10

    /// Both clocks of the machine, in microseconds, when its time of day was last not behind this clock.
    private struct Anchor {
        var time: Int64
        var steady: Int64
    }

    private let source: any Clock
    private let begun: (time: Instant, steady: Instant)
    private let anchor: Mutex<Anchor>
    private let latestSteady: Atomic<Int64>

    package init(_ source: any Clock, notBefore earliest: Instant) {
        self.source = source
        begun = (source.now(), source.steady())
        let steady = begun.steady.microseconds
        anchor = Mutex(Anchor(time: earliest.microseconds, steady: steady))
        latestSteady = Atomic(steady)
    }

    package func now() -> Instant { anchor.withLock { read(&$0) } }

    /// Both clocks are read under the lock, so that no returned time is before an earlier one.
    private func read(_ anchor: inout Anchor) -> Instant {
        let (time, steady) = (source.now().microseconds, source.steady().microseconds)
        let passed = max(0, steady - anchor.steady)
        let told = anchor.time + passed - passed / Self.slowing
        guard time >= told else { return Instant(microseconds: told) }
        anchor = Anchor(time: time, steady: max(steady, anchor.steady))
        return Instant(microseconds: time)
    }

    /// Continues from a time that another writer of the log has used, unless this clock is there already.
    ///
    /// ``passed()`` stays as it is: it counts from the start of this process, and believes no other clock. The caller bounds the time,
    /// because this clock would follow one that is a year ahead.
    package func raise(to earliest: Instant) {
        anchor.withLock { anchor in
            guard earliest > read(&anchor) else { return }
            anchor = Anchor(time: earliest.microseconds, steady: max(source.steady().microseconds, anchor.steady))
        }
    }

    /// The time at the start of the process plus the time elapsed since, or ``now()`` if that is earlier.
    ///
    /// Use it for steps that cannot be undone: it does not follow a clock that is set ahead, even for a moment.
    package func passed() -> Instant {
        let told = now()
        return min(told, Instant(microseconds: begun.time.microseconds + steady().microseconds - begun.steady.microseconds))
    }

    package var leadMicroseconds: Int64 { max(0, now().microseconds - source.now().microseconds) }

    package var gainMicroseconds: Int64 {
        let passed = steady().microseconds - begun.steady.microseconds
        return max(0, source.now().microseconds - begun.time.microseconds - passed)
    }

    package func steady() -> Instant { Instant(microseconds: latestSteady.max(source.steady().microseconds, ordering: .relaxed).newValue) }
}
