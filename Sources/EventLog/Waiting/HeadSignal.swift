internal import Synchronization

/// Tells threads and tasks that a position has been reached: the end of the log, or how far something derived has got.
///
/// One publishes, any number wait. A waiter is woken once, outside of every lock, by the first ``publish(_:)`` that reaches its
/// position; so a waiter that has returned true sees everything up to there.
public final class HeadSignal: Sendable {
    /// Whom to wake, and how.
    enum Wake: Sendable {
        case task(CheckedContinuation<Outcome, Never>)
        case thread(ThreadSemaphore)
    }

    /// What ended a wait.
    enum Outcome: Sendable {
        case reached, timedOut, cancelled
    }

    struct State {
        var queue = WaiterQueue<Wake>()
        var isClosed = false
        /// A task looks at the deadlines from time to time as long as somebody waits.
        var isSweeping = false
    }

    let state = Mutex(State())
    private let published: Atomic<UInt64>
    private let lastNumber = Atomic<UInt64>(0)

    /// A signal that begins at a position.
    public init(_ head: Position = .start) { published = Atomic(head.rawValue) }

    /// The last position published.
    public var head: Position { Position(published.load(ordering: .acquiring)) }

    /// Moves the head and wakes everyone who waits for it or less. Going back is ignored.
    ///
    /// What the position stands for MUST be readable by every thread before this is called.
    public func publish(_ position: Position) {
        let woken = state.withLock { state -> [Wake] in
            if position <= head { return [] }
            published.store(position.rawValue, ordering: .releasing)
            return state.queue.takeReached(position)
        }
        for wake in woken { Self.end(wake, .reached) }
    }

    /// Ends every wait, now and later, for positions that are not reached by then.
    public func close() {
        let woken = state.withLock { state in
            state.isClosed = true
            return state.queue.takeAll()
        }
        for wake in woken { Self.end(wake, .timedOut) }
    }

    /// A number that no other waiter has.
    func nextNumber() -> UInt64 { lastNumber.add(1, ordering: .relaxed).newValue }

    /// Lines a waiter up.
    ///
    /// - Returns: false when there is nothing to wait for: reached already, or closed.
    func enqueue(_ number: UInt64, _ position: Position, _ deadline: ContinuousClock.Instant?, _ wake: Wake) -> Bool {
        state.withLock { state in
            // Looked at again under the lock: a publication in between would have found nobody to wake.
            if head >= position || state.isClosed { return false }
            state.queue.add(.init(position: position, deadline: deadline, wake: wake), number: number)
            return true
        }
    }

    static func end(_ wake: Wake, _ outcome: Outcome) {
        switch wake {
        case .task(let continuation): continuation.resume(returning: outcome)
        case .thread(let semaphore): semaphore.signal()
        }
    }

    static func deadline(in seconds: Double) -> ContinuousClock.Instant {
        .now + .seconds(min(max(0, seconds), LogLimits.waitSecondsMax))
    }
}
