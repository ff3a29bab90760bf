internal import LMDB

/// Walks through one run of an index's file, from the first entry to the last, and doubts everything.
///
/// What a look-up relies on is looked at: entries in order, lists as long as they say, a filter that knows each list, and a directory
/// that leads to each block.
struct RunWalk {
    private let run: Run
    private let file: BlockFile
    private var block: [UInt8] = []
    private var part: [UInt8] = []
    private var partNumber: UInt32?
    /// The last position of the entry before, and how many its list still lacks.
    private var last = PostingKey(spread: 0, tag: Tag(TagKind(0), 0), type: EventType(0), position: 0)
    private var missing: UInt64 = 0

    init(_ run: Run, _ file: BlockFile) { (self.run, self.file) = (run, file) }

    /// Adds all postings of the run.
    ///
    /// - Throws: ``LMDBError/Code/damaged`` at the first thing that is not as it was stored.
    mutating func add(to sums: inout [PostingSum]) throws(LMDBError) {
        var positions: [UInt64] = []
        for number in 0..<run.blocks {
            let key = Run.key(ofBlock: number, run: run.number)
            try file.read(Int(number), into: &block)
            let count = RunBlock(block.span, key: key)?.count ?? 0
            if count == 0 { throw damaged("block \(number) is none") }
            for index in 0..<count {
                let entry = try entry(index, of: number, &positions)
                try check(entry)
                for position in positions { sums[PostingSum.index(of: position)].add(entry.place.spread, entry.place.type, position) }
                try checkWays(to: entry.place, block: number, isFirst: index == 0)
            }
        }
        if missing > 0 { throw damaged("its last list is too short") }
    }

    private struct Entry {
        /// Its own place, and the same with its last position.
        let place, end: PostingKey
        let total, count: UInt64
    }

    private func entry(_ index: Int, of number: UInt32, _ positions: inout [UInt64]) throws(LMDBError) -> Entry {
        positions.removeAll(keepingCapacity: true)
        guard let view = RunBlock(block.span, key: Run.key(ofBlock: number, run: run.number)),
            let piece = PostingPiece(view.entry(index)), piece.last < run.count
        else { throw damaged("entry \(index) of block \(number) is none") }
        let all = PositionRange(first: run.first, last: run.last, backwards: false, limit: .max)
        piece.collect(RunWindow(all, of: run, limit: .max), limit: .max, into: &positions)
        guard UInt64(positions.count) == piece.count, positions.last == run.first + piece.last else {
            throw damaged("entry \(index) of block \(number) does not hold the positions that it says")
        }
        let spread = piece.tag == last.tag ? last.spread : piece.tag.spread
        return Entry(
            place: PostingKey(spread: spread, tag: piece.tag, type: piece.type, position: piece.first),
            end: PostingKey(spread: spread, tag: piece.tag, type: piece.type, position: piece.last),
            total: piece.total, count: piece.count)
    }

    /// Whether the entry may follow the one before, and its list is as long as it says.
    private mutating func check(_ entry: Entry) throws(LMDBError) {
        let goesOn = entry.place.tag == last.tag && entry.place.type == last.type
        guard entry.place.follows(last.tag, last.type, last.position), goesOn == (entry.total == 0), goesOn == (missing > 0) else {
            throw damaged("its entries are not in order")
        }
        if !goesOn { missing = entry.total }
        guard entry.count <= missing else { throw damaged("a list is longer than it says") }
        missing -= entry.count
        last = entry.end
    }

    /// Whether a look-up gets to the entry.
    private mutating func checkWays(to place: PostingKey, block: UInt32, isFirst: Bool) throws(LMDBError) {
        let number = run.part(of: place.spread)
        let key = Run.key(ofPart: number, run: run.number)
        if partNumber != number {
            try file.read(Int(run.blocks) + Int(number), into: &part)
            partNumber = number
        }
        guard let view = RunPart(part.span, key: key) else { throw damaged("part \(number) is none") }
        guard view.mayHold(FilterMask(place.spread, place.type)), view.mayHold(FilterMask(place.spread, nil)) else {
            throw damaged("the filter of part \(number) does not know a list that is there")
        }
        guard isFirst else { return }
        let next = PostingKey(spread: place.spread, tag: place.tag, type: place.type, position: place.position + 1)
        guard view.block(before: next) == block else { throw damaged("the directory of part \(number) does not lead to block \(block)") }
    }

    private func damaged(_ text: String) -> LMDBError { .damagedContent(text, in: file.path) }
}
