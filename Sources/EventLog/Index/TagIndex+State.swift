extension TagIndex {
    /// The memory parts and what the flusher is at. All of it is guarded by the index's mutex.
    struct State: Sendable {
        /// Takes the newest events; the writer alone adds.
        var active: MemoryPart
        /// Full, waiting for the flusher or being flushed: dropped when its postings are committed. Read-only.
        var frozen: MemoryPart?
        /// Why the flusher gave up; every later append is refused with it.
        var failure: EventLogError?
        /// The writer waits on the semaphore `drained`.
        var isWriterWaiting = false
        /// The flusher is to end when nothing is frozen.
        var isClosing = false

        /// The first position that the memory parts cover; what is before is in the persistent part.
        var first: UInt64 { frozen?.first ?? active.first }

        /// Lets the flusher have the active part.
        mutating func freeze() {
            let full = active
            frozen = full
            active = MemoryPart(after: full)
        }
    }
}
