import CommandService
import Loyalty
import Synchronization

/// A clock that runs only when a test moves it, in either direction.
final class HandClock: Clock {
    static let start = Instant(microseconds: 1_700_000_000_000_000)

    private struct Hands {
        var time = HandClock.start
        var steady = Instant(microseconds: 0)
        var secondsPerReading: Int64 = 0
    }

    private let hands = Mutex(Hands())

    func now() -> Instant {
        hands.withLock { hands in
            defer {
                hands.time = hands.time.advanced(bySeconds: hands.secondsPerReading)
                hands.steady = hands.steady.advanced(bySeconds: hands.secondsPerReading)
            }
            return hands.time
        }
    }

    func steady() -> Instant { hands.withLock { $0.steady } }

    /// Lets time pass. A negative value only sets the clock back.
    func move(bySeconds seconds: Int64) {
        hands.withLock { hands in
            hands.time = hands.time.advanced(bySeconds: seconds)
            hands.steady = hands.steady.advanced(bySeconds: max(0, seconds))
        }
    }

    /// Lets this many seconds pass after each reading of the time of day, so that something comes due between two readings.
    func advanceAtReadings(bySeconds seconds: Int64) {
        hands.withLock { $0.secondsPerReading = seconds }
    }

    /// Changes the time of day. The steady time stays the same, as if an operator had set the clock.
    func set(bySeconds seconds: Int64) {
        hands.withLock { $0.time = $0.time.advanced(bySeconds: seconds) }
    }
}
