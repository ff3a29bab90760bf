internal import Synchronization

/// Wakes threads and tasks when the log's head, or derived data, has reached a position.
///
/// The first ``publish(_:)`` that reaches a waiter's position wakes it once, outside of every lock. After a wait has returned true, all
/// data up to its position can be read.
public final class HeadSignal: Sendable {
    enum Wake: Sendable {
        case task(CheckedContinuation<Outcome, Never>)
        case thread(ThreadSemaphore)
    }

    enum Outcome: Sendable {
        case reached, timedOut, cancelled
    }

    struct State {
        var queue = WaiterQueue<Wake>()
        var isClosed = false
        /// A task checks deadlines while others wait with one.
        var isSweeping = false
    }

    let state = Mutex(State())
    private let published: Atomic<UInt64>
    private let lastNumber = Atomic<UInt64>(0)

    package init(_ head: Position = .start) { published = Atomic(head.rawValue) }

    /// The greatest published position, or the initial head.
    public var head: Position { Position(published.load(ordering: .acquiring)) }

    /// Raises the head to a position, and wakes all that wait for it or a lower one. A lower head is ignored.
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

    /// Ends every current and future wait for a position that has not been reached.
    package func close() {
        let woken = state.withLock { state in
            state.isClosed = true
            return state.queue.takeAll()
        }
        for wake in woken { Self.end(wake, .timedOut) }
    }

    func nextNumber() -> UInt64 { lastNumber.add(1, ordering: .relaxed).newValue }

    /// False if the position has been reached or the signal is closed.
    func enqueue(_ number: UInt64, _ position: Position, _ deadline: ContinuousClock.Instant?, _ wake: Wake) -> Bool {
        state.withLock { state in
            // Again under the lock, because a publication since the first check could not wake this waiter.
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
    var isClosed: Bool { state.withLock { $0.isClosed } }
}

extension HeadSignal {
    /// Suspends until the head has reached a position, the timeout has passed, or the signal is closed; returns whether it was reached.
    ///
    /// Cancelling the task ends the wait at once. A timeout may be 10 milliseconds late, because all waits share one check of the clock.
    ///
    /// - Throws: `CancellationError`.
    public func reached(_ position: Position, timeoutSeconds: Double) async throws(CancellationError) -> Bool {
        try await reached(position, by: Self.deadline(in: timeoutSeconds))
    }

    /// Suspends until the head has reached a position, or the signal is closed; returns whether it was reached.
    ///
    /// - Throws: `CancellationError`.
    public func reached(_ position: Position) async throws(CancellationError) -> Bool { try await reached(position, by: nil) }

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
                guard enqueue(number, position, deadline, .task(continuation)) else { return continuation.resume(returning: .timedOut) }
                // If the task was cancelled before this, `onCancel` found no waiter to end.
                if Task.isCancelled { end(number, .cancelled) }
                sweepWhileNeeded()
            }
        } onCancel: {
            end(number, .cancelled)
        }
    }

    private func end(_ number: UInt64, _ outcome: Outcome) {
        let wake = state.withLock { $0.queue.remove(number) }
        if let wake { Self.end(wake, outcome) }
    }

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

    /// Returns whether any waiter with a deadline is left.
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
    /// Blocks a dedicated thread until the head is beyond a position, the timeout has passed, or the signal is closed. Not for tasks, which
    /// share their threads.
    ///
    /// - Returns: the head, at most `position` if no later one was published.
    @available(*, noasync)
    public func wait(beyond position: Position, timeoutSeconds: Double) -> Position {
        if head > position || position == .max || timeoutSeconds <= 0 { return head }
        let semaphore = ThreadSemaphore()
        let number = nextNumber()
        // For a thread, the semaphore handles the timeout; the deadline check is for tasks.
        guard enqueue(number, position.next, nil, .thread(semaphore)) else { return head }
        if !semaphore.wait(seconds: min(timeoutSeconds, LogLimits.waitSecondsMax)) { _ = state.withLock { $0.queue.remove(number) } }
        return head
    }
}
