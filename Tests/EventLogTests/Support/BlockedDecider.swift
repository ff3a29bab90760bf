import EventLog
import Foundation
import Synchronization

/// Stages an event for each request, and blocks at the third request until the answer to the first has been sent. Meanwhile the first
/// event is committed, and the second event may be committed after it.
struct BlockedDecider: BatchDecider {
    let appender: Appender
    let meeting: Meeting

    mutating func decide(_ request: UInt64) -> Bool {
        if request == 2 { meeting.offerNext(3) }
        if request == 3 { meeting.waitForFirstAnswer() }
        return (try? appender.stage(event(.stamped, card(UInt128(request))))) != nil
    }

    /// Makes the test, the decider and the commit wait for each other. Every wait ends after at most ten minutes, and the wait of
    /// ``hasEnded`` after at most twenty.
    final class Meeting: BatchDurability {
        private static let seconds = 600.0
        private let state = Mutex((commits: 0, wasTold: false))
        private let offering = Mutex<(@Sendable (UInt64, @escaping @Sendable () -> Void) -> Void)?>(nil)
        private let told = DispatchSemaphore(value: 0), deciding = DispatchSemaphore(value: 0)
        private let ended = DispatchSemaphore(value: 0)

        var wasTold: Bool { state.withLock { $0.wasTold } }

        /// Waits until the decider no longer blocks at the third request. The value is false after a timeout.
        var hasEnded: Bool { ended.wait(timeout: .now() + Self.seconds * 2) == .success }

        var offer: (@Sendable (UInt64, @escaping @Sendable () -> Void) -> Void)? {
            get { offering.withLock { $0 } }
            set { offering.withLock { $0 = newValue } }
        }

        func begin() { offer?(1) { [told] in told.signal() } }

        func offerNext(_ request: UInt64) { offer?(request) {} }

        func makeDurable(
            _ batch: EncodedBatch, commitLocally: (EncodedBatch) throws(EventLogError) -> Void
        ) throws(EventLogError) {
            let number = state.withLock { state in
                state.commits += 1
                return state.commits
            }
            if number == 1 {
                // The second request is decided and handed to the committer before the first event is on disk, so that the second commit
                // begins right after the first.
                offerNext(2)
                _ = deciding.wait(timeout: .now() + Self.seconds)
            }
            try commitLocally(batch)
        }

        func waitForFirstAnswer() {
            deciding.signal()
            let result = told.wait(timeout: .now() + Self.seconds)
            state.withLock { $0.wasTold = result == .success }
            ended.signal()
        }
    }
}
