/// A deliberate bug that the checks must find.
package enum SeededBug: String, Hashable, Sendable, CaseIterable {
    /// No bug.
    case none
    /// The child acknowledges a batch before its commit.
    case acknowledgesEarly
    /// The child keeps its log in an environment that never flushes.
    case neverFlushes
    /// Simulates that LMDB does not call `fdatasync` before it writes the meta page of a commit. The journal is changed, not LMDB.
    case forgetsDataFlush
    /// Simulates that LMDB does not write the meta page through to the disk. The journal is changed, not LMDB.
    case forgetsHeadFlush

    /// Whether the disk model must ignore a journal record to simulate this bug.
    package func hides(_ record: JournalRecord) -> Bool {
        switch (self, record) {
        case (.forgetsDataFlush, .flushed(let path, _)): path.hasSuffix("data.mdb")
        case (.forgetsHeadFlush, .wroteThrough): true
        default: false
        }
    }
}
