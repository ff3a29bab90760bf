internal import Synchronization

/// A recurring task of the flusher: its last failure, and the time of the next attempt.
///
/// A failed flush or merge is retried after one second, and after repeated failures at intervals of up to about a minute. Meanwhile the
/// part in memory accepts up to 524,288 events by default. Later events are left out of the index, and look-ups scan the log for them. They
/// are indexed when runs can be stored again.
struct IndexTask: Sendable {
    /// The error of the last attempt; nil if that attempt succeeded, and before the first attempt.
    private(set) var failure: EventLogError?
    /// The number of consecutive failures.
    private(set) var failures = 0
    private var notBefore = ContinuousClock.now

    /// Whether the task may be tried now.
    var isDue: Bool { failure == nil || ContinuousClock.now >= notBefore }

    /// Seconds until the next attempt; nil if the last attempt did not fail.
    var secondsToRetry: Double? { failure == nil ? nil : max(0, (notBefore - .now) / .seconds(1)) }

    mutating func succeed() { (failure, failures) = (nil, 0) }

    /// Records a failure. The delay before the next attempt doubles with each consecutive failure.
    mutating func fail(_ error: EventLogError, firstMilliseconds: Int) {
        failure = error
        failures += 1
        let doubled = firstMilliseconds << min(failures - 1, LogLimits.indexRetryDoublings)
        notBefore = .now + .milliseconds(doubled)
    }
}

/// The work of the index's thread.
extension TagIndex {
    /// Flushes, merges and rebuilds runs until the index closes.
    func work() {
        while workOnce() {}
    }

    /// Does one flush or one other step, or waits for work; false when the index closes.
    ///
    /// A flush comes before other work, because the writer may be waiting for it. Merging comes first only if there are so many unmerged
    /// runs that look-ups would become slow or merging would never catch up.
    private func workOnce() -> Bool {
        let (part, isClosing, flushing, merging) = state.withLock { ($0.frozen, $0.isClosing, $0.flushing, $0.merging) }
        if isClosing && part == nil { return false }
        let isCrowded = merging.failure == nil && keeper.withLock { $0.isCrowded }
        if let part, isClosing || flushing.isDue && !isCrowded {
            guard isStored(part) else { return false }
            let isFlushed = tryFlush(part)
            return isFlushed || !isClosing
        }
        if merging.isDue, upkeepStep() { return true }
        if catchUpStep() { return true }
        let (mergingRetry, isBehind) = state.withLock { ($0.merging.secondsToRetry, $0.isBehind) }
        // A commit does not wake this thread. So if events were left out, the thread checks after a pause whether the log has more of them.
        // Otherwise it could sleep for ever while they are too many for the writer to add.
        let catchUp = isBehind ? Double(retryMilliseconds) / 1_000 : nil
        let retries = [part == nil ? catchUp : flushing.secondsToRetry, mergingRetry].compactMap(\.self)
        if let retry = retries.min() { _ = store.wake.wait(seconds: retry) } else { store.wake.wait() }
        return true
    }

    /// Reopens a run, or does one step of a repair or a merge; false if there was nothing to do or the step failed.
    private func upkeepStep() -> Bool {
        do throws(EventLogError) {
            let isBusy = try keeper.withLock { (keeper) throws(EventLogError) in try keeper.step() }
            state.withLock { $0.merging.succeed() }
            return isBusy
        } catch {
            state.withLock { $0.merging.fail(error, firstMilliseconds: retryMilliseconds) }
            return false
        }
    }

    private func tryFlush(_ part: MemoryPart) -> Bool {
        do throws(EventLogError) {
            _ = try store.mendRemoved()
            try flush(part)
            state.withLock { state in
                state.flushing.succeed()
                state.frozen = nil
            }
        } catch {
            // The part that could not be stored stays in memory for look-ups.
            state.withLock { $0.flushing.fail(error, firstMilliseconds: retryMilliseconds) }
            releaseWriter()
            return false
        }
        releaseWriter()
        return true
    }

    /// Stores a memory part as a run. All events of the part must be in the log.
    func flush(_ part: MemoryPart) throws(EventLogError) {
        let last = part.next - 1
        let coverage = IndexCoverage(position: last, root: try log.indexedRoot(at: last), created: created, kinds: kinds.bytes)
        try keeper.withLock { (keeper) throws(EventLogError) in try keeper.flush(part, coverage) }
    }

    /// Waits until the log has all events of a part, so that the persistent part never gets ahead of the log; false when the index closes
    /// first.
    private func isStored(_ part: MemoryPart) -> Bool {
        let last = Position(part.next - 1)
        while head.head < last {
            if state.withLock({ $0.isClosing }) { return false }
            _ = head.wait(beyond: Position(part.next - 2), timeoutSeconds: 1)
        }
        return true
    }

    /// Adds to the index some of the events that were left out of it, as far as these events are in the log. The writer adds the last
    /// omitted events, which may not be in the log yet.
    private func catchUpStep() -> Bool {
        let (isBehind, next) = state.withLock { ($0.isBehind, $0.active.next) }
        let last = min(head.head.rawValue, next + UInt64(LogLimits.indexReplayedAtOnce) - 1)
        guard isBehind, next <= last else { return false }
        do {
            try log.scan(from: next, through: last) { position, record in
                insert(record, at: position.rawValue)
                return true
            }
        } catch {
            state.withLock { $0.merging.fail(EventLogError(any: error), firstMilliseconds: retryMilliseconds) }
            return false
        }
        // The result is false while memory is full. The thread then waits until the next attempt to flush.
        return freezeIfLarge() || state.withLock { $0.active.next } > next
    }
}
