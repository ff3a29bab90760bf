internal import EventLog
internal import Loyalty
internal import LoyaltyCodec
internal import Merkle

/// Processes checked ranges in order, and checks what needs the whole history: the rules and the tree's upper levels.
struct HistoryCheck {
    private let findings: FindingList
    /// Events with a later time are noted.
    private let latest: Int64
    private var book = RuleBook()
    private var hasher = TreeHasher()
    /// By level, the hashes of the incomplete tile; level 0 is not used.
    private var open: [[NodeHash]] = [[], []]
    /// Without all roots, the upper hashes cannot be computed.
    private var hasAllRoots = true
    /// After a gap, rules can no longer be checked.
    private(set) var isComplete = true
    private(set) var pictures = ShownPictures()
    private var previous = Int64.min
    /// Events before their predecessors in time, as in an imported history.
    private var earlierCount = 0
    private var firstEarlier: Position?
    /// Events later than ``latest``, as after a clock that was ahead.
    private var laterCount = 0
    private var firstLater: (position: Position, time: Instant)?
    /// For each range, computed like the index's sums.
    private(set) var postings: [PostingSum] = []

    init(_ findings: FindingList, latest: Int64) { (self.findings, self.latest) = (findings, latest) }

    /// Remarks for the operator about the times of events.
    var notes: [String] {
        var notes: [String] = []
        if let firstEarlier {
            notes.append("\(earlierCount) events are earlier than the one before, first at \(firstEarlier), as imported ones may be.")
        }
        if let (position, time) = firstLater {
            notes.append(
                "Events more than a day in the future: \(laterCount), the first at \(position) with the time \(time.rfc3339). Check this "
                    + "machine's clock (timedatectl); if it is right, it was ahead when they were written, and they keep their times.")
        }
        return notes
    }

    mutating func apply(_ chunk: CheckedChunk) {
        climb(chunk)
        postings.append(chunk.postings)
        guard isComplete else { return }
        for event in chunk.events { apply(event) }
        isComplete = chunk.isWhole
    }

    /// - Parameter last: the position of the log's last event.
    mutating func end(at last: Position) {
        guard isComplete else { return }
        for violation in book.end() { findings.add(Finding(violation.kind, position: last, violation.what + ".")) }
    }

    private mutating func apply(_ event: CheckedChunk.Event) {
        let time = event.fact.time.microseconds
        if time < previous {
            earlierCount += 1
            firstEarlier = firstEarlier ?? Position(event.fact.position)
        }
        previous = time
        if time > latest {
            laterCount += 1
            if firstLater == nil { firstLater = (Position(event.fact.position), event.fact.time) }
        }
        pictures.apply(event.fact)
        for violation in book.apply(event.fact, mark: event.mark) {
            findings.add(Finding(violation.kind, position: Position(event.fact.position), violation.what + "."))
        }
    }

    /// Compares each upper hash with the 256 below it. A range that lacks roots ends this, because later roots would count to the wrong
    /// tile. Only a log's last range usually lacks some.
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
