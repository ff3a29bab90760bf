import CommandService
import Loyalty
import Synchronization

/// A clock that moves only when a test moves it, or with each reading if a test lets it.
final class TestClock: Clock {
    private struct Hands {
        var time = Instant(microseconds: 1_795_251_600_000_000)
        /// The time since the machine started.
        var steady = Instant(microseconds: 77_000_000)
        var secondsPerReading: Int64 = 0
    }

    private let hands = Mutex(Hands())

    func now() -> Instant {
        hands.withLock { hands in
            defer { hands.time = hands.time.advanced(bySeconds: hands.secondsPerReading) }
            return hands.time
        }
    }

    func steady() -> Instant { hands.withLock { $0.steady } }

    func advance(seconds: Int64) {
        hands.withLock { hands in
            hands.time = hands.time.advanced(bySeconds: seconds)
            hands.steady = hands.steady.advanced(bySeconds: seconds)
        }
    }

    /// Lets some seconds pass at each reading of the time from now on.
    func pass(secondsPerReading seconds: Int64) {
        hands.withLock { $0.secondsPerReading = seconds }
    }

    /// Sets the machine's wall clock forward or back, while no time passes.
    func set(bySeconds seconds: Int64) {
        hands.withLock { $0.time = $0.time.advanced(bySeconds: seconds) }
    }
}
