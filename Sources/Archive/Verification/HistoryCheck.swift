internal import EventLog
internal import Loyalty
internal import LoyaltyCodec
internal import Merkle

/// Receives the results of checked ranges in the order of positions. Makes the checks that need the whole history: the rules, and the upper
/// levels of the tree.
struct HistoryCheck {
    private let findings: FindingList
    /// The latest time that an event may have without a note.
    private let latest: Int64
    private var book = RuleBook()
    private var hasher = TreeHasher()
    /// For each level of the tree, the hashes of its incomplete tile; level 0 is not used.
    private var open: [[NodeHash]] = [[], []]
    /// Whether all ranges so far had the roots of all their tiles. After a range that lacks roots, the upper hashes cannot be computed.
    private var hasAllRoots = true
    /// Whether all events so far could be read. After a gap, rules can no longer be checked.
    private(set) var isComplete = true
    private(set) var pictures = ShownPictures()
    private var previous = Int64.min
    /// The number of events whose time is before that of the previous event, as in an imported history.
    private var earlierCount = 0
    /// The position of the first event whose time is before that of the previous event.
    private var firstEarlier: Position?
    /// The number of events that are later than ``latest``, as after a correction of a clock that was ahead.
    private var laterCount = 0
    /// The first event that is later than ``latest``.
    private var firstLater: (position: Position, time: Instant)?
    /// For each range, the sum over the tags of its events. It is computed in the same way as the sum over the tags in the index.
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
