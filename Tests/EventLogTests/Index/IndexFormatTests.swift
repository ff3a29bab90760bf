import EventLog
import LMDB
import Seeds
import Testing

/// An index of an older format is thrown away and made again from the log, without a word from anybody.
@Suite(.temporaryFolder) struct IndexFormatTests {
    @Test func anIndexOfTheFirstFormatIsMadeAgain() throws {
        var history = RandomHistory(generator: SeededRandom(seed: 12))
        let sandbox = try Sandbox()
        let oracle = Oracle(events: history.events(80))
        try sandbox.append(oracle.events)
        let coverage = try self.coverage(in: sandbox.index)
        try sandbox.deleteIndex()
        try writeFirstFormat(coverage, in: sandbox.index)
        try expectAnswers(of: sandbox, oracle, &history)
    }

    /// A word that everything is covered, without the runs it speaks of.
    @Test func anIndexWithoutItsRunsIsMadeAgain() throws {
        var history = RandomHistory(generator: SeededRandom(seed: 13))
        let sandbox = try Sandbox()
        let oracle = Oracle(events: history.events(80))
        try sandbox.append(oracle.events)
        do {
            let derived = try DerivedEnvironment(directory: sandbox.index)
            let runs = try derived.environment.table("runs", .integer)
            let environment = derived.environment
            var transaction = try environment.write()
            try transaction.removeAll(runs)
            try transaction.commit()
            try derived.close()
        }
        try expectAnswers(of: sandbox, oracle, &history)
    }

    private func expectAnswers(of sandbox: Sandbox, _ oracle: Oracle, _ history: inout RandomHistory) throws {
        let log = try sandbox.open(options: .tiny(flush: 10))
        for _ in 0..<40 {
            let query = history.query()
            #expect(try log.positions(matching: query) == oracle.positions(query, after: 0, through: .max, backwards: false, limit: .max))
        }
    }

    /// What the index says that it covers, whose layout has stayed the same.
    private func coverage(in directory: String) throws -> [UInt8] {
        let environment = try Environment(directory: directory, access: .readOnly)
        let meta = try environment.table("meta", .bytes)
        let snapshot = try environment.snapshot()
        var cursor = try snapshot.cursor(meta)
        try #require(try cursor.first())
        var bytes: [UInt8] = []
        bytes.append(copying: cursor.value)
        return bytes
    }

    /// One table of postings, all of them wrong, and a word that they cover everything.
    private func writeFirstFormat(_ coverage: [UInt8], in directory: String) throws {
        let derived = try DerivedEnvironment(directory: directory)
        let postings = try derived.environment.table("postings", .postings)
        let meta = try derived.environment.table("meta", .bytes)
        let environment = derived.environment
        var transaction = try environment.write()
        try transaction.addPosting(postings, [UInt8](repeating: 1, count: 19), 7)
        try transaction.put(meta, Array("coverage 1".utf8), coverage)
        try transaction.commit()
        try derived.close()
    }
}
