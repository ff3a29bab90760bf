internal import LMDB

/// Merges consecutive runs into one, in bounded steps between which a flush can run.
///
/// The runs' positions follow each other, so lists are concatenated, and the encoded steps copied unchanged.
struct RunMerge: Sendable {
    /// From the oldest to the newest.
    let inputs: [RunFile]
    private var readers: [RunReader]
    private var writer: RunWriter
    /// The `readers` that have a part of the current list, and the index here of the next one to copy from.
    private var sources: [Int] = []
    private var source = 0
    private var hasBegun = false

    private let outputLevel: UInt32

    /// `level` is nil for one above the highest level of the inputs.
    init(_ inputs: [RunFile], into number: UInt32, level: UInt32? = nil) {
        self.inputs = inputs
        outputLevel = level ?? (inputs.map(\.run.level).max() ?? 0) + 1
        readers = inputs.map { RunReader($0) }
        writer = RunWriter(number, first: inputs[0].run.first, tags: inputs.reduce(0) { $0 + Int($1.run.tags) })
    }

    var broken: RunFile? { readers.first { $0.isBroken }?.source }

    var level: UInt32 { inputs.map(\.run.level).max() ?? 0 }

    /// About a megabyte of output, in some milliseconds. The run is returned with its last values.
    ///
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

/// Reads a run's entries in order, with a copy of one block at a time, verified anew.
struct RunReader: Sendable {
    let source: RunFile
    var run: Run { source.run }
    private var bytes: [UInt8] = []
    private var block: UInt32 = 0
    private var entry = -1
    private var entryCount = 0
    private(set) var spread: UInt64 = 0
    private(set) var tag = Tag(TagKind(0), 0)
    private(set) var type = EventType(0)
    private(set) var total: UInt64 = 0
    private var first: UInt64 = 0
    private var last: UInt64 = 0
    private(set) var isAtEnd = false
    /// An unreadable block, or bytes that a ``RunWriter`` never writes.
    private(set) var isBroken = false

    init(_ source: RunFile) { self.source = source }

    /// - Throws: an error for a broken index; ``isBroken`` is then true.
    mutating func advance() throws(EventLogError) {
        do throws(EventLogError) { try resume() } catch {
            isBroken = true
            throw error
        }
    }

    private mutating func resume() throws(EventLogError) {
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

    /// Rejects values that a ``RunWriter`` never writes, so that the merge's calculations cannot overflow.
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
        // The initial key has the tag kind 0, which no entry has, so the first entry always follows it.
        guard isSound, place.follows(tag, type, first) else {
            throw .brokenIndex("block \(block) of run \(run.number) holds what was never written")
        }
        (spread, self.tag, self.type, self.first) = (place.spread, place.tag, place.type, place.position)
    }
}
