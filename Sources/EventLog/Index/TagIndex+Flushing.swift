internal import Synchronization

/// A recurring task of the flusher: its last failure, and the time of the next attempt, after a second and at most about a minute.
struct IndexTask: Sendable {
    /// Nil if the last attempt succeeded.
    private(set) var failure: EventLogError?
    /// Consecutive ones.
    private(set) var failures = 0
    private var notBefore = ContinuousClock.now

    var isDue: Bool { failure == nil || ContinuousClock.now >= notBefore }

    var secondsToRetry: Double? { failure == nil ? nil : max(0, (notBefore - .now) / .seconds(1)) }

    mutating func succeed() { (failure, failures) = (nil, 0) }

    /// The delay doubles with each consecutive failure.
    mutating func fail(_ error: EventLogError, firstMilliseconds: Int) {
        failure = error
        failures += 1
        let doubled = firstMilliseconds << min(failures - 1, LogLimits.indexRetryDoublings)
        notBefore = .now + .milliseconds(doubled)
    }
}

/// The work of the index's thread.
extension TagIndex {
    func work() { while workOnce() {} }

    /// Does one step, or waits for work; false when the index closes. A flush comes first, because the writer may wait for it, unless so
    /// many runs are unmerged that merging would never catch up.
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
        // A commit does not wake this thread, so it would sleep for ever while more events were left out than the writer can add.
        let catchUp = isBehind ? Double(retryMilliseconds) / 1_000 : nil
        let retries = [part == nil ? catchUp : flushing.secondsToRetry, mergingRetry].compactMap(\.self)
        if let retry = retries.min() { _ = store.wake.wait(seconds: retry) } else { store.wake.wait() }
        return true
    }

    /// False if there was nothing to do or it failed.
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
            // The part stays in memory for look-ups.
            state.withLock { $0.flushing.fail(error, firstMilliseconds: retryMilliseconds) }
            releaseWriter()
            return false
        }
        releaseWriter()
        return true
    }

    func flush(_ part: MemoryPart) throws(EventLogError) {
        let last = part.next - 1
        let coverage = IndexCoverage(position: last, root: try log.indexedRoot(at: last), created: created, kinds: kinds.bytes)
        try keeper.withLock { (keeper) throws(EventLogError) in try keeper.flush(part, coverage) }
    }

    /// The persistent part must never get ahead of the log; false when the index closes first.
    private func isStored(_ part: MemoryPart) -> Bool {
        let last = Position(part.next - 1)
        while head.head < last {
            if state.withLock({ $0.isClosing }) { return false }
            _ = head.wait(beyond: Position(part.next - 2), timeoutSeconds: 1)
        }
        return true
    }

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
        // False while memory is full; the thread then waits for the next attempt to flush.
        return freezeIfLarge() || state.withLock { $0.active.next } > next
    }
}
