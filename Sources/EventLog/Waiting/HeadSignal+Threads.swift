internal import Synchronization

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
