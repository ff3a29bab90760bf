internal import EventLog
internal import Loyalty
internal import Merkle

/// Receives checked ranges in order and checks the whole history: the rules, and the upper levels of the tree.
struct HistoryCheck {
    private let findings: FindingList
    private var book = RuleBook()
    private var hasher = TreeHasher()
    /// The hashes of the incomplete tile on each level; level 0 is not used.
    private var open: [[NodeHash]] = [[], []]
    /// Whether all events so far could be read. After a gap, rules can no longer be checked.
    private(set) var isComplete = true
    private var latest = Int64.min
    /// The number of events that are earlier than the previous one, as in an imported history.
    private(set) var earlierCount = 0
    /// The sums of the tags of each range, in the form of the index.
    private(set) var postings: [PostingSum] = []
    /// The position of the first event that is earlier than its predecessor.
    private(set) var firstEarlier: Position?

    init(_ findings: FindingList) { self.findings = findings }

    /// Applies the next range.
    mutating func take(_ chunk: CheckedChunk) {
        climb(chunk)
        postings.append(chunk.postings)
        guard isComplete else { return }
        for event in chunk.events { take(event) }
        isComplete = chunk.isWhole
    }

    /// Ends the check after the last range.
    ///
    /// - Parameter last: the log's last event.
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

    /// Computes each upper hash from the 256 below it, and compares it with the stored one.
    private mutating func climb(_ chunk: CheckedChunk) {
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
