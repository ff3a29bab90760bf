internal import LMDB

/// Walks the entries of a run from the first to the last, a copy of one block at a time, so that it can rest between transactions.
struct RunReader: Sendable {
    let run: Run
    private var bytes: [UInt8] = []
    private var block: UInt32 = 0
    private var entry = -1
    private var entryCount = 0
    /// The entry's key, and its parts as in ``PostingPiece``.
    private(set) var spread: UInt64 = 0
    private(set) var tag = Tag(TagKind(0), 0)
    private(set) var type = EventType(0)
    private(set) var total: UInt64 = 0
    private var first: UInt64 = 0
    private var last: UInt64 = 0
    /// Whether all entries have been seen.
    private(set) var isAtEnd = false

    init(_ run: Run) { self.run = run }

    /// Goes to the next entry.
    ///
    /// - Throws: a broken index, also when the entries are not in order.
    mutating func advance(_ store: PostingStore, _ snapshot: borrowing Snapshot) throws(EventLogError) {
        entry += 1
        if entry >= entryCount {
            if entryCount > 0 { block += 1 }
            guard block < run.blocks else {
                isAtEnd = true
                return
            }
            try load(store, snapshot)
        }
        try readKey()
    }

    /// Calls `body` with the entry.
    @inline(__always)
    func withPiece(_ body: (borrowing PostingPiece) -> Void) throws(EventLogError) {
        guard let view = RunBlock(bytes.span, key: Run.key(ofBlock: block, run: run.number)),
            let piece = PostingPiece(view.entry(entry))
        else { throw .brokenIndex("block \(block) of run \(run.number)") }
        body(piece)
    }

    private mutating func load(_ store: PostingStore, _ snapshot: borrowing Snapshot) throws(EventLogError) {
        let key = Run.key(ofBlock: block, run: run.number)
        let value = try store.value(key, in: snapshot)
        bytes.removeAll(keepingCapacity: true)
        bytes.append(copying: value)
        entryCount = RunBlock(bytes.span, key: key)?.count ?? 0
        entry = 0
        if entryCount == 0 { throw .brokenIndex("block \(block) of run \(run.number)") }
    }

    /// Takes over the entry's key, and refuses what no writer writes: the merge can do arithmetic with the rest unseen.
    private mutating func readKey() throws(EventLogError) {
        let (tag, type, first, last) = (tag, type, first, last)
        var place = PostingKey(spread: spread, tag: tag, type: type, position: first)
        var isSound = false
        try withPiece { piece in
            let spread = piece.tag == tag ? place.spread : piece.tag.spread
            place = PostingKey(spread: spread, tag: piece.tag, type: piece.type, position: piece.first)
            let goesOn = piece.tag == tag && piece.type == type
            isSound = piece.last < run.count && piece.total <= run.count && piece.isContinuation == goesOn
            if goesOn && piece.first <= last { isSound = false }
            (total, self.last) = (piece.total, piece.last)
        }
        // Nothing has kind 0, so the first entry follows what the reader begins with.
        guard isSound, place.follows(tag, type, first) else {
            throw .brokenIndex("block \(block) of run \(run.number) holds what was never written")
        }
        (spread, self.tag, self.type, self.first) = (place.spread, place.tag, place.type, place.position)
    }
}
