/// A mistake made on purpose, to see that the checks find it.
package enum SeededBug: String, Hashable, Sendable, CaseIterable {
    /// No mistake.
    case none
    /// The child acknowledges a batch before its commit.
    case acknowledgesEarly
    /// The child keeps its log in an environment that does not flush.
    case neverFlushes
    /// As if LMDB did not call `fdatasync` before it writes the page that makes a commit current: made in the journal.
    case forgetsDataFlush
    /// As if LMDB did not write that page through to the disk: made in the journal.
    case forgetsHeadFlush

    /// Whether a record of the journal is to be overlooked.
    package func hides(_ record: JournalRecord) -> Bool {
        switch (self, record) {
        case (.forgetsDataFlush, .flushed(let path, _)): path.hasSuffix("data.mdb")
        case (.forgetsHeadFlush, .wroteThrough): true
        default: false
        }
    }
}
