import EventLog
import LMDB
import Testing

/// An index of an older format is thrown away and made again from the log, without a word from anybody.
@Suite(.temporaryFolder) struct IndexFormatTests {
    @Test func anIndexOfTheFirstFormatIsMadeAgain() throws {
        var history = RandomHistory(generator: SeededGenerator(seed: 12))
        let sandbox = try Sandbox()
        let oracle = Oracle(events: history.events(80))
        try sandbox.append(oracle.events)
        try sandbox.deleteIndex()
        try writeFirstFormat(in: sandbox.index)
        let log = try sandbox.open(options: .tiny(flush: 10))
        for _ in 0..<40 {
            let query = history.query()
            #expect(try log.positions(matching: query) == oracle.positions(query, after: 0, through: .max, backwards: false, limit: .max))
        }
    }

    /// One table of postings, all of them wrong, and a word that they cover everything.
    private func writeFirstFormat(in directory: String) throws {
        let derived = try DerivedEnvironment(directory: directory)
        let postings = try derived.environment.table("postings", .postings)
        let meta = try derived.environment.table("meta", .bytes)
        let environment = derived.environment
        var transaction = try environment.write()
        try transaction.addPosting(postings, [UInt8](repeating: 1, count: 19), 7)
        try transaction.put(meta, Array("coverage 1".utf8), [80] + [UInt8](repeating: 0, count: 30))
        try transaction.commit()
        try derived.close()
    }
}
