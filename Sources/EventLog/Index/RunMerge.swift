internal import LMDB

/// Makes one run of several that follow each other, a bounded step at a time, so that a flush between two steps need not wait.
///
/// Since their ranges of positions follow each other, the lists of a tag are put one behind the other, byte for byte.
struct RunMerge: Sendable {
    /// Values after which a step ends: one megabyte, some milliseconds.
    private static let stepValues = 64

    /// The runs that are merged, the oldest first.
    let inputs: [Run]
    private var readers: [RunReader]
    private var writer: RunWriter
    /// Readers, from the next one on, that have a share in the list being written; none between two lists.
    private var sources: [Int] = []
    private var source = 0
    private var hasBegun = false

    init(_ inputs: [Run], into number: UInt32) {
        self.inputs = inputs
        readers = inputs.map { RunReader($0) }
        writer = RunWriter(number, first: inputs[0].first, tags: inputs.reduce(0) { $0 + Int($1.tags) })
    }

    /// The level of what is merged.
    var level: UInt32 { inputs.map(\.level).max() ?? 0 }

    /// Reads and writes a little.
    ///
    /// - Returns: values to store, and the new run when it is complete with them.
    /// - Throws: a broken index, or what the storage layer throws.
    mutating func step(_ store: PostingStore) throws(EventLogError) -> (values: [RunWriter.Value], run: Run?) {
        let environment = store.environment
        let snapshot = try environment.readable()
        if !hasBegun {
            for index in readers.indices { try readers[index].advance(store, snapshot) }
            hasBegun = true
        }
        while writer.finished.count < Self.stepValues {
            if source < sources.count {
                try copyPiece(store, snapshot)
            } else if !beginList() {
                let run = writer.finish(last: inputs[inputs.count - 1].last, level: level + 1)
                return (writer.takeFinished(), run)
            }
        }
        return (writer.takeFinished(), nil)
    }

    /// Finds who has the next list; false when nobody has any.
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

    /// Copies one entry of the list being written.
    private mutating func copyPiece(_ store: PostingStore, _ snapshot: borrowing Snapshot) throws(EventLogError) {
        let index = sources[source]
        let shift = readers[index].run.first - writer.first
        try readers[index].withPiece { piece in
            writer.add(piece.first + shift, through: piece.last + shift, count: piece.count, steps: piece.steps)
        }
        try readers[index].advance(store, snapshot)
        if !readers[index].isAtEnd, readers[index].total == 0 { return }
        source += 1
        if source == sources.count { writer.endList() }
    }
}
