import Seeds

/// One failure of the power: after which record of the journal, and what the disk has made of the rest.
package struct Cut: Hashable, Sendable {
    /// How many records of the journal had happened.
    package let records: Int
    /// What the image is drawn with.
    package let seed: UInt64

    /// A given cut, to see it again.
    package init(records: Int, seed: UInt64) {
        self.records = records
        self.seed = seed
    }

    /// Random cuts in the order of the journal: a third of them anywhere, the others where a promise is easiest to break, which is
    /// right after the child has said that a batch is stored, and right after one of the few flushes that are not a commit's.
    package static func random(_ count: Int, of journal: Journal, seed: UInt64) -> [Cut] {
        var random = SeededRandom(seed: seed)
        let promises = [journal.acknowledgementEnds, journal.rareFlushEnds, []]
        let cuts = (0..<count).map { number in
            let ends = promises[number % promises.count]
            return Cut(records: ends.isEmpty ? random.int(0...journal.records.count) : random.pick(ends), seed: random.next())
        }
        return cuts.sorted { $0.records < $1.records }
    }

    /// So many cuts at each moment from the empty folder to the first acknowledgement.
    package static func creation(_ count: Int, of journal: Journal, seed: UInt64) -> [Cut] {
        var random = SeededRandom(seed: seed)
        let end = journal.acknowledgementEnds.first ?? journal.records.count
        return (0...end).flatMap { records in (0..<count).map { _ in Cut(records: records, seed: random.next()) } }
    }
}
