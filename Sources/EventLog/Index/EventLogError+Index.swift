internal import LMDB

extension EventLogError {
    /// The index holds bytes that it never stored. It is derived: the next opening makes it again.
    @inline(never)
    static func brokenIndex(_ text: String) -> EventLogError {
        EventLogError(LMDBError.damagedContent(text, in: "the tag index"))
    }

    /// Whether the index, not the log, is what cannot be read.
    var isBrokenIndex: Bool { storage?.code == .damaged }
}
