import EventLog
import Seeds
import Testing

@Suite(.temporaryFolder) struct CommitFailureTests {
    /// Commits one event to a log, makes the commit of three more events fail, and releases the log and its appender.
    private func fail(_ fault: FaultyDurability.Fault, in sandbox: Sandbox, flush: Int) throws {
        let durability = FaultyDurability()
        var options = EventLog.Options.tiny(flush: flush)
        options.durability = durability
        let log = try sandbox.open(options: options)
        let appender = try log.appender()
        try appender.stage(event(.opened, card(1)))
        try appender.commit()
        try appender.stage([event(.stamped, card(1)), event(.stamped, card(1)), event(.closed, card(1))])
        durability.failNext(fault)
        let error = #expect(throws: EventLogError.self) { try appender.commit() }
        #expect(error?.detail == "injected")
        #expect(log.head == Position(1), "the head is not moved by a commit that failed")
        #expect(try log.positions(matching: .tags(card(1))) == [Position(1)])
        #expect(try log.positions(matching: .all) == [Position(1)])
        expectStopped(appender)
    }

    private func expectStopped(_ appender: Appender) {
        let staging = #expect(throws: EventLogError.self) { try appender.stage(event(.opened, card(2))) }
        let committing = #expect(throws: EventLogError.self) { try appender.commit() }
        #expect(staging?.code == .stopped && committing?.code == .stopped)
    }

    @Test(
        "After a failed commit, the next opening finds the whole batch or nothing",
        arguments: FaultyDurability.Fault.allCases, [1, 2, 1000])
    func theNextOpeningFindsAllOfTheBatchOrNothing(_ fault: FaultyDurability.Fault, flush: Int) throws {
        let sandbox = try Sandbox()
        try fail(fault, in: sandbox, flush: flush)
        let log = try sandbox.open()
        let expected: [UInt64] = fault == .lost ? [1] : [1, 2, 3, 4]
        #expect(log.head.rawValue == expected.last)
        #expect(try log.positions(matching: .tags(card(1))).map(\.rawValue) == expected)
        #expect(try log.positions(matching: .all).map(\.rawValue) == expected)
        let appender = try log.appender()
        #expect(try appender.stage(event(.noted, card(1))) == log.head.next)
        try appender.commit()
        #expect(try log.positions(matching: .tags(card(1))).count == expected.count + 1)
    }

    @Test("Repeated failed commits lose and halve no batch")
    func aWholeHistoryOfFailuresNeverLosesOrHalvesABatch() throws {
        let generator = SeededRandom.announced("aWholeHistoryOfFailures"), seed = generator.seed
        var history = RandomHistory(generator: generator)
        let sandbox = try Sandbox()
        var oracle = Oracle()
        for _ in 0..<12 {
            let durability = FaultyDurability()
            var options = EventLog.Options.tiny(flush: 7)
            options.durability = durability
            let log = try sandbox.open(options: options)
            let appender = try log.appender()
            #expect(log.head.rawValue == UInt64(oracle.events.count), "seed \(seed)")
            for _ in 0..<history.generator.int(0...4) {
                let batch = history.events(history.generator.int(1...10))
                try appender.stage(batch)
                try appender.commit()
                oracle.events += batch
            }
            let batch = history.events(3)
            let fault = history.generator.pick(FaultyDurability.Fault.allCases)
            try appender.stage(batch)
            durability.failNext(fault)
            #expect(throws: EventLogError.self) { try appender.commit() }
            if fault == .stored { oracle.events += batch }
        }
        let log = try sandbox.open()
        #expect(try log.events(matching: .all).map(\.event) == oracle.events.map(\.normalized), "seed \(seed)")
        for _ in 0..<50 {
            let query = history.query()
            let expected = oracle.positions(query, after: 0, through: .max, backwards: false, limit: .max)
            #expect(try log.positions(matching: query) == expected, "seed \(seed)")
        }
    }
}
