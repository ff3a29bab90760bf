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

    /// The reason why a wait ended.
    enum Outcome: Sendable {
        case reached, timedOut, cancelled
    }

    struct State {
        var queue = WaiterQueue<Wake>()
        var isClosed = false
        /// Whether a task checks the deadlines periodically, which it does while there are waiters.
        var isSweeping = false
    }

    let state = Mutex(State())
    private let published: Atomic<UInt64>
    private let lastNumber = Atomic<UInt64>(0)

    /// A signal that begins at a position.
    package init(_ head: Position = .start) { published = Atomic(head.rawValue) }

    /// The last position published.
    public var head: Position { Position(published.load(ordering: .acquiring)) }

    /// Raises the head and wakes every thread and task that waits for it or less. A lower head is ignored.
    ///
    /// The events up to the position MUST be readable by every thread before this is called.
    package func publish(_ position: Position) {
        let woken = state.withLock { state -> [Wake] in
            if position <= head { return [] }
            published.store(position.rawValue, ordering: .releasing)
            return state.queue.takeReached(position)
        }
        for wake in woken { Self.end(wake, .reached) }
    }

    /// Ends every wait, now and later, for positions that are not reached by then.
    package func close() {
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
            // Checked again under the lock: a publication in between would have found no waiter to wake.
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

extension HeadSignal {
    /// Whether nothing will be published any more.
    var isClosed: Bool { state.withLock { $0.isClosed } }
}

extension HeadSignal {
    /// Suspends until the head has reached a position, the time is up, or the signal is closed.
    ///
    /// Cancelling the task ends the wait at once. Many waits share one look at the clock every 10 milliseconds, so a timeout may be
    /// late by that, and costs nothing when it does not come.
    ///
    /// - Returns: whether the position was reached.
    /// - Throws: `CancellationError`.
    public func reached(_ position: Position, timeoutSeconds: Double) async throws(CancellationError) -> Bool {
        try await reached(position, by: Self.deadline(in: timeoutSeconds))
    }

    /// Suspends until the head has reached a position, or the signal is closed.
    ///
    /// - Returns: whether the position was reached.
    /// - Throws: `CancellationError`.
    public func reached(_ position: Position) async throws(CancellationError) -> Bool {
        try await reached(position, by: nil)
    }

    private func reached(_ position: Position, by deadline: ContinuousClock.Instant?) async throws(CancellationError) -> Bool {
        if head >= position { return true }
        switch await outcome(of: position, deadline) {
        case .reached: return true
        case .timedOut: return head >= position
        case .cancelled: throw CancellationError()
        }
    }

    private func outcome(of position: Position, _ deadline: ContinuousClock.Instant?) async -> Outcome {
        let number = nextNumber()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard enqueue(number, position, deadline, .task(continuation)) else {
                    return continuation.resume(returning: .timedOut)
                }
                // A cancellation before the line above found no waiter to wake.
                if Task.isCancelled { end(number, .cancelled) }
                sweepWhileNeeded()
            }
        } onCancel: {
            end(number, .cancelled)
        }
    }

    /// Ends one wait, unless it has ended.
    private func end(_ number: UInt64, _ outcome: Outcome) {
        let wake = state.withLock { $0.queue.remove(number) }
        if let wake { Self.end(wake, outcome) }
    }

    /// Starts the task that looks at deadlines, unless there is one.
    private func sweepWhileNeeded() {
        let mustStart = state.withLock { state in
            if state.isSweeping || state.queue.timedCount == 0 { return false }
            state.isSweeping = true
            return true
        }
        guard mustStart else { return }
        Task.detached { [self] in
            while sweep() { try? await Task.sleep(for: .microseconds(LogLimits.deadlineTickMicroseconds)) }
        }
    }

    /// Ends the waits whose time is up.
    ///
    /// - Returns: whether any waiter is left.
    private func sweep() -> Bool {
        let (expired, isNeeded) = state.withLock { state in
            let expired = state.queue.takeExpired(.now)
            state.isSweeping = state.queue.timedCount > 0
            return (expired, state.isSweeping)
        }
        for wake in expired { Self.end(wake, .timedOut) }
        return isNeeded
    }
}

extension HeadSignal {
    /// Blocks the calling thread until the head is beyond a position, the time is up, or the signal is closed.
    ///
    /// For threads of one's own only: a task that blocks takes a thread from all others.
    ///
    /// - Returns: the head at return; at most `position` if nothing came.
    @available(*, noasync)
    public func wait(beyond position: Position, timeoutSeconds: Double) -> Position {
        if head > position || position == .max || timeoutSeconds <= 0 { return head }
        let semaphore = ThreadSemaphore()
        let number = nextNumber()
        // The semaphore keeps the time for a thread; the sweep of deadlines is for tasks.
        guard enqueue(number, position.next, nil, .thread(semaphore)) else { return head }
        if !semaphore.wait(seconds: min(timeoutSeconds, LogLimits.waitSecondsMax)) {
            _ = state.withLock { $0.queue.remove(number) }
        }
        return head
    }
}
