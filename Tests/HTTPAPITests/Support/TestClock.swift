import CommandService
import Loyalty
import Synchronization

/// A clock that stands still until it is told otherwise.
final class TestClock: Clock {
    private let time = Mutex(Instant(microseconds: 1_795_251_600_000_000))

    func now() -> Instant { time.withLock { $0 } }

    func advance(seconds: Int64) {
        time.withLock { $0 = $0.advanced(bySeconds: seconds) }
    }
}
