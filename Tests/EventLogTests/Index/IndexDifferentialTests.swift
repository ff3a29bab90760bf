import EventLog
import Seeds
import Testing

/// Compares the index with full scans of an array over random histories. The limits are so small that parts are constantly frozen, flushed
/// and dropped. In between, the log is released, with or without a close, and reopened. Sometimes its index is deleted first.
@Suite(.temporaryFolder) struct IndexDifferentialTests {
    @Test("Each answer of the index is that of a full scan", arguments: [1, 2, 3, 7, 30])
    func everyAnswerIsThatOfAFullScan(_ flush: Int) throws {
        let generator = SeededRandom.announced("everyAnswerIsThatOfAFullScan(\(flush))"), seed = generator.seed
        var history = RandomHistory(generator: generator)
        let sandbox = try Sandbox()
        var oracle = Oracle()
        for round in 0..<6 {
            if history.generator.oneIn(3), round > 0 { try sandbox.deleteIndex() }
            let stall = flush * history.generator.int(1...4)
            let log = try sandbox.open(options: .tiny(flush: flush, stall: stall))
            let appender = try log.appender()
            for _ in 0..<25 {
                let before = oracle.events.count
                let batch = history.events(history.generator.int(1...9))
                try appender.stage(batch)
                oracle.events += batch
                try oracle.expectAnswers(of: appender, &history, seed)
                var committed = oracle
                committed.events.removeLast(oracle.events.count - before)
                try committed.expectAnswers(of: log, &history, seed)
                try appender.commit()
                try oracle.expectAnswers(of: log, &history, seed)
            }
            if history.generator.oneIn(2) { try log.close() }
        }
    }

    /// The tags' lists of positions are so long that the index's runs return candidates in several pages. For some of the queries, most
    /// candidates do not match.
    @Test("Candidates that fill several pages give the answers of a full scan")
    func longListsOfProposalsAreReadInPages() throws {
        let sandbox = try Sandbox()
        let log = try sandbox.open(options: .tiny(flush: 500))
        let appender = try log.appender()
        var oracle = Oracle()
        for number in 0..<6_000 {
            let one = event(number % 97 == 0 ? .closed : .stamped, card(UInt128(number % 89)), shop(UInt128(number % 5)))
            try appender.stage(one)
            oracle.events.append(one)
            if number % 250 == 249 { try appender.commit() }
        }
        try appender.commit()
        let both = Query.tag(shop(0), types: .closed, .stamped)
        for query in [Query.tags(shop(3), card(17)), both, .tags(shop(1)), .tag(card(4), types: .closed)] {
            for (backwards, limit) in [(true, Int.max), (false, .max), (true, 13), (false, 13), (true, 700), (false, 700)] {
                let found = try log.positions(matching: query, after: Position(3), through: .max, backwards: backwards, limit: limit)
                #expect(found == oracle.positions(query, after: 3, through: .max, backwards: backwards, limit: limit))
            }
        }
    }
}
