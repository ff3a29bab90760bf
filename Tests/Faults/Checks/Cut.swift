import Seeds

/// One power cut: the number of journal records before it, and the seed that decides which unflushed data survives it.
package struct Cut: Hashable, Sendable {
    /// The number of journal records that precede the cut.
    package let records: Int
    /// The seed of the random numbers that decide which unflushed data is in the disk image.
    package let seed: UInt64

    /// Creates a known cut, to repeat it.
    package init(records: Int, seed: UInt64) {
        self.records = records
        self.seed = seed
    }

    /// Random power cuts in the order of the journal. A third of them are at any record. The others are where a promise is broken most
    /// easily: right after an acknowledgement, or right after one of the rare flushes that do not belong to a commit.
    package static func random(_ count: Int, of journal: Journal, seed: UInt64) -> [Cut] {
        var random = SeededRandom(seed: seed)
        let promises = [journal.acknowledgementEnds, journal.rareFlushEnds, []]
        let cuts = (0..<count).map { number in
            let ends = promises[number % promises.count]
            return Cut(records: ends.isEmpty ? random.int(0...journal.records.count) : random.pick(ends), seed: random.next())
        }
        return cuts.sorted { $0.records < $1.records }
    }

    /// Returns `count` power cuts after each number of records, from the empty folder to the first acknowledgement.
    package static func creation(_ count: Int, of journal: Journal, seed: UInt64) -> [Cut] {
        var random = SeededRandom(seed: seed)
        let end = journal.acknowledgementEnds.first ?? journal.records.count
        return (0...end).flatMap { records in (0..<count).map { _ in Cut(records: records, seed: random.next()) } }
    }
}
