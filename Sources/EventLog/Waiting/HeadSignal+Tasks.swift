internal import Synchronization

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
                // A cancellation that came before the line above found nobody to wake.
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
    /// - Returns: whether anybody is left.
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
