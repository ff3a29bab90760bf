internal import EventLog
internal import LMDB
internal import Loyalty
internal import LoyaltyCodec
internal import Merkle

/// Checks ranges of positions: records, times and hashes. Several checks may run concurrently.
struct ChunkCheck {
    /// A multiple of a tile's 256 leaves, so small that the decoded events take about two megabytes.
    static let events = PostingSum.positions
    static let tile = 256

    private let log: LogFile
    private let findings: FindingList
    /// The positions and kinds of tags over which ``CheckedChunk/postings`` is computed; nil without an index.
    private let index: (through: UInt64, kinds: [Bool])?
    private var hasher = TreeHasher()
    private var leaves: [NodeHash] = []

    init(_ log: LogFile, index: (through: UInt64, kinds: [Bool])? = nil, findings: FindingList) {
        (self.log, self.index, self.findings) = (log, index, findings)
    }

    /// The range MUST begin at a tile's first leaf.
    mutating func check(_ range: ClosedRange<UInt64>) -> CheckedChunk {
        var chunk = CheckedChunk(first: range.lowerBound)
        chunk.events.reserveCapacity(range.count)
        leaves.removeAll(keepingCapacity: true)
        var position = range.lowerBound
        do {
            try walk(range, in: log.renewed(), &chunk, &position)
        } catch let error as LMDBError {
            chunk.isWhole = false
            findings.add(Finding(.page, position: Position(position), file: "log/data.mdb", error.text))
        } catch {
            chunk.isWhole = false
            findings.add(Finding(.gap, position: Position(position), "\(error)"))
        }
        return chunk
    }

    private mutating func walk(
        _ range: ClosedRange<UInt64>, in log: LogFile, _ chunk: inout CheckedChunk, _ position: inout UInt64
    ) throws {
        guard let table = log.events else { return }
        var events = FileCursor(table, in: log.file)
        var hashes = log.tree.map { FileCursor($0, in: log.file) }
        var (record, entry): ([UInt8], [UInt8]) = ([], [])
        var isThere = try events.seek(position)
        var isHashed = try hashes?.seek(position) ?? false
        chunk.isWhole = true
        while position <= range.upperBound {
            guard isThere, events.key == position else { return miss(position, &chunk) }
            try events.value(into: &record)
            read(record, at: position, into: &chunk)
            leaves.append(hasher.leaf(record))
            if isHashed, hashes?.key == position {
                try hashes?.value(into: &entry)
                compare(entry, at: position, &chunk)
            } else if log.tree != nil {
                findings.add(Finding(.tree, position: Position(position), "the tree has no leaf for this event."))
            }
            position += 1
            isThere = try events.next()
            isHashed = try hashes?.next() ?? false
        }
    }

    private func miss(_ position: UInt64, _ chunk: inout CheckedChunk) {
        chunk.isWhole = false
        findings.add(Finding(.gap, position: Position(position), "there is no event here, but there are later ones."))
    }

    private func read(_ bytes: [UInt8], at position: UInt64, into chunk: inout CheckedChunk) {
        let place = Position(position)
        guard let record = Record(bytes.span) else {
            chunk.isWhole = false
            return findings.add(Finding(.record, position: place, "\(bytes.count) bytes that are no record."))
        }
        if let index, position <= index.through { chunk.postings.add(record, at: position, kinds: index.kinds) }
        do throws(CodecError) {
            let fact = try LoyaltyCodec.decode(record, at: place)
            if fact.time.microseconds < 0 { findings.add(Finding(.time, position: place, "its time is \(fact.time.rfc3339).")) }
            if chunk.isWhole { chunk.events.append(CheckedChunk.Event(fact: fact, mark: LoyaltyCodec.mark(of: record))) }
        } catch {
            chunk.isWhole = false
            findings.add(Finding(.record, position: place, error.detail + "."))
        }
    }

    private mutating func compare(_ entry: [UInt8], at position: UInt64, _ chunk: inout CheckedChunk) {
        let levels = 1 + position.trailingZeroBitCount / 8
        if entry.count != levels * NodeHash.byteCount {
            findings.add(Finding(.tree, position: Position(position), "the tree stores \(entry.count) bytes, not \(levels) hashes."))
        }
        if Self.hash(0, in: entry) != leaves.last {
            findings.add(Finding(.tree, position: Position(position), "the record is not the one whose hash the tree stores."))
        }
        guard levels > 1 else { return }
        let root = rootOfLastTile()
        chunk.roots.append(root)
        if Self.hash(1, in: entry) != root {
            findings.add(Finding(.tree, position: Position(position), "the hash of the 256 events up to here is not the stored one."))
        }
        for level in 2..<max(2, levels) {
            chunk.stored.append(.init(level: level, position: position, hash: Self.hash(level, in: entry)))
        }
    }

    private mutating func rootOfLastTile() -> NodeHash {
        let root = hasher.completeRoot(of: leaves.suffix(Self.tile))
        leaves.removeAll(keepingCapacity: true)
        return root
    }

    private static func hash(_ level: Int, in entry: [UInt8]) -> NodeHash? {
        let start = level * NodeHash.byteCount
        return start + NodeHash.byteCount <= entry.count ? NodeHash(entry.span.extracting(start..<start + NodeHash.byteCount)) : nil
    }
}

/// The result for a range, which does not depend on other ranges.
struct CheckedChunk: Sendable {
    struct Event: Sendable {
        let fact: Fact
        let mark: RequestMark?
    }

    /// A stored hash over more than one tile, which can be compared only after all its leaves were read.
    struct Stored: Sendable {
        let level: Int
        let position: UInt64
        let hash: NodeHash?
    }

    let first: UInt64
    /// The events up to the first that is missing or cannot be decoded.
    var events: [Event] = []
    /// Whether every event could be decoded.
    var isWhole = false
    /// Computed like the index's sum, for comparison.
    var postings = PostingSum()
    var roots: [NodeHash] = []
    var stored: [Stored] = []
}
