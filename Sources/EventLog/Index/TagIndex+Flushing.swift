internal import Foundation
internal import Synchronization

/// What the index's thread does.
extension TagIndex {
    /// Flushes and merges until the index closes or something cannot be stored.
    func work() {
        do throws(EventLogError) {
            while try workOnce() {}
        } catch {
            finish(store.distrusted(error))
        }
    }

    /// One flush or one step of a merge, or waiting for either; false when the index closes.
    ///
    /// A flush goes first, for the writer may be waiting for it: unless there are so many runs that look-ups would be slow, or merging
    /// would never catch up.
    private func workOnce() throws(EventLogError) -> Bool {
        let (part, isClosing) = state.withLock { ($0.frozen, $0.isClosing) }
        if isClosing && part == nil { return false }
        if let part, isClosing || !keeper.withLock({ $0.isCrowded }) {
            guard isStored(part) else { return false }
            try flush(part)
            finish(nil)
            return true
        }
        if try mergeStep() { return true }
        wake.wait()
        return true
    }

    private func mergeStep() throws(EventLogError) -> Bool {
        try keeper.withLock { (keeper) throws(EventLogError) in try keeper.step() }
    }

    /// Stores a part that the log holds entirely.
    func flush(_ part: MemoryPart) throws(EventLogError) {
        let last = part.next - 1
        let fingerprint = try log.withRecord(at: last) { record in IndexMeta.fingerprint(of: record.bytes) }
        guard let fingerprint else { throw LogStorage.gap(at: last) }
        let coverage = IndexMeta(position: last, fingerprint: fingerprint, created: created, kinds: kinds.bytes)
        try keeper.withLock { (keeper) throws(EventLogError) in try keeper.flush(part, coverage) }
    }

    /// Waits until the log has all of a part, so that the persistent part never runs ahead of it; false when the index closes first.
    private func isStored(_ part: MemoryPart) -> Bool {
        let last = Position(part.next - 1)
        while head.head < last {
            if state.withLock({ $0.isClosing }) { return false }
            _ = head.wait(beyond: Position(part.next - 2), timeoutSeconds: 1)
        }
        return true
    }

    /// Drops the flushed part, or notes why it could not be flushed; it is kept then, for readers.
    private func finish(_ failure: EventLogError?) {
        let isWriterWaiting = state.withLock { state in
            state.failure = failure
            if failure == nil { state.frozen = nil }
            defer { state.isWriterWaiting = false }
            return state.isWriterWaiting
        }
        if isWriterWaiting { drained.signal() }
    }
}
