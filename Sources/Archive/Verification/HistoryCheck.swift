internal import EventLog
internal import Loyalty
internal import Merkle

/// Receives the results of checked ranges in the order of positions. Makes the checks that need the whole history: the rules, and the upper
/// levels of the tree.
struct HistoryCheck {
    private let findings: FindingList
    private var book = RuleBook()
    private var hasher = TreeHasher()
    /// For each level of the tree, the hashes of its incomplete tile; level 0 is not used.
    private var open: [[NodeHash]] = [[], []]
    /// Whether all ranges so far had the roots of all their tiles. After a range that lacks roots, the upper hashes cannot be computed.
    private var hasAllRoots = true
    /// Whether all events so far could be read. After a gap, rules can no longer be checked.
    private(set) var isComplete = true
    private var latest = Int64.min
    /// The number of events whose time is before that of the previous event, as in an imported history.
    private(set) var earlierCount = 0
    /// For each range, the sum over the tags of its events. It is computed in the same way as the sum over the tags in the index.
    private(set) var postings: [PostingSum] = []
    /// The position of the first event whose time is before that of the previous event.
    private(set) var firstEarlier: Position?

    init(_ findings: FindingList) { self.findings = findings }

    /// Applies the result of the next range.
    mutating func take(_ chunk: CheckedChunk) {
        climb(chunk)
        postings.append(chunk.postings)
        guard isComplete else { return }
        for event in chunk.events { take(event) }
        isComplete = chunk.isWhole
    }

    /// Ends the check after the last range.
    ///
    /// - Parameter last: the position of the log's last event.
    mutating func end(at last: Position) {
        guard isComplete else { return }
        for violation in book.end() { findings.add(Finding(violation.kind, position: last, violation.what + ".")) }
    }

    private mutating func take(_ event: CheckedChunk.Event) {
        let time = event.fact.time.microseconds
        if time < latest {
            earlierCount += 1
            firstEarlier = firstEarlier ?? Position(event.fact.position)
        }
        latest = time
        for violation in book.apply(event.fact, mark: event.mark) {
            findings.add(Finding(violation.kind, position: Position(event.fact.position), violation.what + "."))
        }
    }

    /// Computes each upper hash from the 256 hashes below it, and compares it with the stored hash. Ends with the first range that lacks
    /// roots, because later roots would then be counted to the wrong tile. The last range of a log usually lacks some, and no upper tile
    /// ends in it then.
    private mutating func climb(_ chunk: CheckedChunk) {
        if chunk.roots.count < Int(ChunkCheck.events) / ChunkCheck.tile { hasAllRoots = false }
        guard hasAllRoots else { return }
        for root in chunk.roots { add(root, level: 1, chunk) }
    }

    private mutating func add(_ hash: NodeHash, level: Int, _ chunk: CheckedChunk) {
        if open.count == level { open.append([]) }
        open[level].append(hash)
        guard open[level].count == ChunkCheck.tile else { return }
        let root = hasher.completeRoot(of: open[level])
        open[level].removeAll(keepingCapacity: true)
        if let stored = chunk.stored.first(where: { $0.level == level + 1 }), stored.hash != root {
            findings.add(
                Finding(.tree, position: Position(stored.position), "the stored hash of level \(level + 1) is not that of the events."))
        }
        add(root, level: level + 1, chunk)
    }
}
