internal import LMDB

/// Merges consecutive runs into one, in bounded steps, so that a flush can run between two steps.
///
/// The position ranges of the runs follow each other. So a tag's lists of one type are concatenated, and the encoded steps between
/// positions are copied unchanged.
struct RunMerge: Sendable {
    /// The runs to merge, from the oldest to the newest.
    let inputs: [RunFile]
    private var readers: [RunReader]
    private var writer: RunWriter
    /// The indices of the `readers` whose runs have a part of the current list, that of one tag and one type, ascending. `source` is the
    /// index into this array of the reader from which the next entry is copied. Between two lists, `source` equals the array's count.
    private var sources: [Int] = []
    private var source = 0
    private var hasBegun = false

    /// The level of the resulting run.
    private let outputLevel: UInt32

    /// Prepares a merge.
    ///
    /// - Parameter level: the level of the new run; nil for the level that is one above the highest level of the inputs.
    init(_ inputs: [RunFile], into number: UInt32, level: UInt32? = nil) {
        self.inputs = inputs
        outputLevel = level ?? (inputs.map(\.run.level).max() ?? 0) + 1
        readers = inputs.map { RunReader($0) }
        writer = RunWriter(number, first: inputs[0].run.first, tags: inputs.reduce(0) { $0 + Int($1.run.tags) })
    }

    /// The input run that could not be read; nil unless a step has thrown an error because of it.
    var broken: RunFile? { readers.first { $0.isBroken }?.source }

    /// The highest level of the inputs.
    var level: UInt32 { inputs.map(\.run.level).max() ?? 0 }

    /// Does one step: reads entries until about a megabyte of output is finished, which takes some milliseconds.
    ///
    /// - Returns: values to store, and the new run if these values complete it.
    /// - Throws: an error for a broken index; ``broken`` is then the unreadable input.
    mutating func step() throws(EventLogError) -> (values: [RunWriter.Value], run: Run?) {
        if !hasBegun {
            for index in readers.indices { try readers[index].advance() }
            hasBegun = true
        }
        while writer.finished.count < RunWriter.valuesAtOnce {
            if source < sources.count {
                try copyPiece()
            } else if !beginList() {
                let run = writer.finish(last: inputs[inputs.count - 1].run.last, level: outputLevel)
                return (writer.takeFinished(), run)
            }
        }
        return (writer.takeFinished(), nil)
    }

    /// Begins the next list, and finds the runs that have a part of it. Returns false if all runs were read to their end.
    private mutating func beginList() -> Bool {
        sources.removeAll(keepingCapacity: true)
        source = 0
        for index in readers.indices where !readers[index].isAtEnd {
            guard let best = sources.first else {
                sources.append(index)
                continue
            }
            let order = order(of: readers[index], readers[best])
            if order > 0 { continue }
            if order < 0 { sources.removeAll(keepingCapacity: true) }
            sources.append(index)
        }
        guard let best = sources.first else { return false }
        var total: UInt64 = 0
        for index in sources { total += readers[index].total }
        writer.beginList(readers[best].tag, spread: readers[best].spread, readers[best].type, total: total)
        return true
    }

    @inline(__always)
    private func order(of left: borrowing RunReader, _ right: borrowing RunReader) -> Int {
        if left.spread != right.spread { return left.spread < right.spread ? -1 : 1 }
        if left.tag != right.tag { return left.tag < right.tag ? -1 : 1 }
        return left.type == right.type ? 0 : left.type < right.type ? -1 : 1
    }

    /// Copies one entry of the current list.
    private mutating func copyPiece() throws(EventLogError) {
        let index = sources[source]
        let shift = readers[index].run.first - writer.first
        try readers[index].withPiece { piece in
            writer.add(piece.first + shift, through: piece.last + shift, count: piece.count, steps: piece.steps)
        }
        try readers[index].advance()
        if !readers[index].isAtEnd, readers[index].total == 0 { return }
        source += 1
        if source == sources.count { writer.endList() }
    }
}

/// Reads the entries of a run from the first to the last. Holds a copy of one block at a time. Each block is read from the file and
/// verified, even if a look-up has verified it before.
struct RunReader: Sendable {
    let source: RunFile
    var run: Run { source.run }
    private var bytes: [UInt8] = []
    private var block: UInt32 = 0
    private var entry = -1
    private var entryCount = 0
    /// The hash of the current entry's tag. The fields below are the entry's other values, named as in ``PostingPiece``.
    private(set) var spread: UInt64 = 0
    private(set) var tag = Tag(TagKind(0), 0)
    private(set) var type = EventType(0)
    private(set) var total: UInt64 = 0
    private var first: UInt64 = 0
    private var last: UInt64 = 0
    /// Whether all entries have been read.
    private(set) var isAtEnd = false
    /// Whether the reader found damage: an unreadable block, or bytes that a ``RunWriter`` never writes.
    private(set) var isBroken = false

    init(_ source: RunFile) { self.source = source }

    /// Moves to the next entry.
    ///
    /// - Throws: an error for a broken index, also if the entries are not in order; ``isBroken`` is then true.
    mutating func advance() throws(EventLogError) {
        do throws(EventLogError) { try goOn() } catch {
            isBroken = true
            throw error
        }
    }

    private mutating func goOn() throws(EventLogError) {
        entry += 1
        if entry >= entryCount {
            if entryCount > 0 { block += 1 }
            guard block < run.blocks else {
                isAtEnd = true
                return
            }
            try load()
        }
        try readKey()
    }

    /// Calls `body` with the current entry.
    @inline(__always)
    func withPiece(_ body: (borrowing PostingPiece) -> Void) throws(EventLogError) {
        guard let view = RunBlock(bytes.span, key: Run.key(ofBlock: block, run: run.number)),
            let piece = PostingPiece(view.entry(entry))
        else { throw .brokenIndex("block \(block) of run \(run.number)") }
        body(piece)
    }

    private mutating func load() throws(EventLogError) {
        do { try source.blocks().read(Int(block), into: &bytes) } catch { throw .brokenIndex("block \(block) of run \(run.number)") }
        entryCount = RunBlock(bytes.span, key: Run.key(ofBlock: block, run: run.number))?.count ?? 0
        entry = 0
        if entryCount == 0 { throw .brokenIndex("block \(block) of run \(run.number)") }
    }

    /// Reads the entry's key. Rejects values that a ``RunWriter`` never writes, so that the merge's calculations with them cannot overflow.
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
        // The reader's initial key has the tag kind 0, which no entry has, so the first entry always follows the initial key.
        guard isSound, place.follows(tag, type, first) else {
            throw .brokenIndex("block \(block) of run \(run.number) holds what was never written")
        }
        (spread, self.tag, self.type, self.first) = (place.spread, place.tag, place.type, place.position)
    }
}
