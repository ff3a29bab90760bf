import CommandService
import Loyalty
import Synchronization

/// A clock that stands still until a test moves its hands, in either direction.
final class HandClock: Clock {
    static let start = Instant(microseconds: 1_700_000_000_000_000)

    private let time = Mutex(HandClock.start)

    func now() -> Instant { time.withLock { $0 } }

    func move(bySeconds seconds: Int64) {
        time.withLock { $0 = $0.advanced(bySeconds: seconds) }
    }
}
