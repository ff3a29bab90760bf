internal import Synchronization

extension SharedCommit {
    /// The bytes of this process's entries since its claim that are not trimmed. Above ``LogLimits/untrimmedBytesMax``, accept no writes.
    package var untrimmedBytes: Int { entries.withLock { $0?.bytes ?? 0 } }

    /// Removes entries that two nodes have on disk, but not the newest `kept` bytes. Call every few seconds, because an engine keeps a
    /// history of its own until this call. May block as any call of a ``SharedLog``.
    ///
    /// - Parameter position: the last event that two nodes have on disk.
    /// - Throws: the errors of ``SharedLog/trim(through:)``.
    package func trim(onTwoDisks position: Position, keeping kept: Int = LogLimits.untrimmedBytesMin) throws(EventLogError) {
        guard let end = entries.withLock({ $0?.end(keeping: kept) }) else { return }
        let through = min(position, end)
        try log.trim(through: through)
        entries.withLock { $0?.forget(through: through) }
    }
}

/// The entries that a process has appended since its claim.
struct OwnEntries {
    /// The head that the process has written last.
    private(set) var head: Head
    /// The bytes that are not trimmed.
    private(set) var bytes = 0
    private let claimed: Position
    /// The sizes of successive entries, about a megabyte in each, so that a full shared log has some hundred.
    private var pages: [Page] = []

    private struct Page {
        var last: Position
        var bytes: Int
    }

    init(since head: Head) { (self.head, claimed) = (head, head.position) }

    mutating func append(_ entry: Entry, leadingTo head: Head) {
        self.head = head
        bytes += entry.bytes.count
        if pages.last.map({ $0.bytes < LogLimits.sharedBatchBytesMax }) != true { pages.append(Page(last: claimed, bytes: 0)) }
        pages[pages.count - 1].last = head.position
        pages[pages.count - 1].bytes += entry.bytes.count
    }

    /// The last event before the newest entries of `kept` bytes. Those of earlier writers count with this one's average, because terms can
    /// be short.
    func end(keeping kept: Int) -> Position {
        if bytes < kept {
            let events = head.position.rawValue - claimed.rawValue
            let older = bytes == 0 ? .max : UInt64(kept - bytes) * events / UInt64(bytes)
            return Position(claimed.rawValue - min(older, claimed.rawValue))
        }
        var (end, rest) = (claimed, bytes)
        for page in pages {
            rest -= page.bytes
            if rest < kept { break }
            end = page.last
        }
        return end
    }

    mutating func forget(through position: Position) {
        let count = pages.prefix { $0.last <= position }.count
        bytes -= pages.prefix(count).reduce(0) { $0 + $1.bytes }
        pages.removeFirst(count)
    }
}
