internal import CLMDB

extension Cursor {
    private static let lineBytes: UInt = 64
    private static let pageBytes: UInt = 4_096
    /// Lines asked for at once: a record of the log and a little more.
    private static let lines: UInt = 4
    /// How far ahead: some four records of the log, about as long as memory takes to answer.
    private static let aheadBytes: UInt = 768

    /// Asks for the bytes that a walk forward comes to a few entries later.
    ///
    /// LMDB fills a page from its end, so they lie below the entry, and then at the end of the page behind. Processors guess a walk
    /// upwards, but not this one: in a scan of the log each record was waited for. Where the guess is wrong nothing happens.
    public func prefetchWhatFollows() {
        guard let base = unsafe valueBytes.baseAddress else { return }
        let value = UInt(bitPattern: base)
        let page = value & ~(Self.pageBytes - 1)
        var ahead = value &- Self.aheadBytes
        if ahead < page { ahead &+= 2 * Self.pageBytes }
        for line in 0..<Self.lines { clmdb_prefetch(ahead &- line &* Self.lineBytes) }
    }
}
