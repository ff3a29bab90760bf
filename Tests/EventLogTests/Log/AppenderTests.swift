import EventLog
import Testing

@Suite(.temporaryFolder) struct AppenderTests {
    @Test("Staged events are seen by the appender only")
    func stagedEventsAreSeenByTheAppenderAndByNobodyElse() throws {
        let log = try Sandbox().open()
        let appender = try log.appender()
        #expect(try appender.stage(event(.opened, card(1))) == Position(1))
        #expect(try appender.stage(event(.stamped, card(1))) == Position(2))
        #expect(appender.head == Position(2) && log.head == .start)
        #expect(try appender.positions(matching: .tags(card(1))) == [Position(1), Position(2)])
        #expect(try appender.positions(matching: .types(.stamped)) == [Position(2)])
        #expect(try appender.positions(matching: .all, backwards: true) == [Position(2), Position(1)])
        #expect(try appender.lastPosition(of: card(1), type: .stamped) == Position(2))
        #expect(try appender.event(at: Position(2))?.event == event(.stamped, card(1)))
        #expect(try log.positions(matching: .tags(card(1))).isEmpty)
        #expect(try log.lastPosition(of: card(1)) == nil)
        #expect(try log.event(at: Position(1)) == nil)
        #expect(try appender.commit() == Position(2))
        #expect(log.head == Position(2))
        #expect(try log.positions(matching: .tags(card(1))) == [Position(1), Position(2)])
        #expect(try log.lastPosition(of: card(1)) == Position(2))
    }

    @Test("An appender reads stored and staged events together")
    func readsCrossTheBorderBetweenStoredAndStaged() throws {
        let log = try Sandbox().open()
        let appender = try log.appender()
        for _ in 1...3 { try appender.stage(event(.opened, card(1))) }
        try appender.commit()
        for _ in 4...6 { try appender.stage(event(.opened, card(1))) }
        for query in [Query.all, .tags(card(1)), .types(.opened)] {
            #expect(try appender.positions(matching: query).map(\.rawValue) == [1, 2, 3, 4, 5, 6])
            #expect(try appender.positions(matching: query, backwards: true, limit: 4).map(\.rawValue) == [6, 5, 4, 3])
            let middle = try appender.positions(matching: query, after: Position(2), through: Position(5), backwards: true, limit: 9)
            #expect(middle.map(\.rawValue) == [5, 4, 3])
            #expect(try log.positions(matching: query).map(\.rawValue) == [1, 2, 3])
        }
    }

    @Test("A refused event leaves the batch unchanged")
    func aRefusedEventLeavesTheBatchAsItWas() throws {
        let log = try Sandbox().open()
        let appender = try log.appender()
        try appender.stage(event(.opened, card(1)))
        let tooLarge = event(.noted, payload: [UInt8](repeating: 0, count: LogLimits.recordBytesMax))
        for refused in [tooLarge, event(EventType(99)), event(.opened, Tag(TagKind(99), 1))] {
            #expect(throws: EventLogError.self) { try appender.stage(refused) }
            #expect(throws: EventLogError.self) { try appender.stage([event(.stamped, card(1)), refused]) }
        }
        #expect(appender.head == Position(1) && appender.staged.count == 1)
        #expect(try appender.positions(matching: .tags(card(1))) == [Position(1)])
        try appender.stage(event(.closed, card(1), payload: [5]))
        #expect(try appender.commit() == Position(2))
        #expect(try log.events(matching: .all).map(\.event) == [event(.opened, card(1)), event(.closed, card(1), payload: [5])])
    }

    @Test("Events are staged together or not at all")
    func eventsThatBelongTogetherAreStagedTogether() throws {
        let appender = try Sandbox().open().appender()
        #expect(try appender.stage([]) == nil)
        #expect(try appender.stage([event(.opened), event(.closed)]) == Position(1)...Position(2))
        #expect(try appender.stage([event(.opened)]) == Position(3)...Position(3))
    }

    @Test("A staged batch has the records that are stored")
    func theBatchIsWhatWillBeStored() throws {
        let log = try Sandbox().open()
        let appender = try log.appender()
        try appender.stage([event(.opened, card(1)), event(.noted, payload: [1, 2, 3])])
        let batch = appender.staged
        #expect(batch.first == Position(1) && batch.last == Position(2) && batch.count == 2 && !batch.isEmpty)
        #expect(batch.byteCount == batch.record(0).count + batch.record(1).count)
        try appender.commit()
        for number in 0..<2 {
            let stored = try log.withRecord(at: Position(UInt64(number + 1))) { (record) throws(EventLogError) in
                record.event == Record(batch.record(number))?.event
            }
            #expect(stored == true)
        }
        #expect(appender.staged.isEmpty && appender.staged.first == Position(3))
    }

    @Test("A failed condition names the conflicting event")
    func anAppendConditionNamesWhatBrokeIt() throws {
        let log = try Sandbox().open()
        let appender = try log.appender()
        let free = AppendCondition(failIfEventsMatch: .tag(card(1), types: .opened))
        #expect(try appender.stage([event(.opened, card(1))], unless: free) == Position(1)...Position(1))
        // A matching event makes the append fail even if that event is only staged, not committed.
        let error = #expect(throws: EventLogError.self) { try appender.stage([event(.opened, card(1))], unless: free) }
        #expect(error?.code == .conditionFailed)
        #expect(error?.conflict == AppendConflict(positions: [Position(1)], item: 0, canRetryHelp: false))
        try appender.commit()
        #expect(throws: EventLogError.self) { try appender.stage([event(.opened, card(1))], unless: free) }
        let later = AppendCondition(failIfEventsMatch: .tag(card(1), types: .opened), after: log.head)
        #expect(try appender.stage([event(.opened, card(1)), event(.opened, card(1))], unless: later) == Position(2)...Position(3))
    }

    @Test("A second appender is refused")
    func aSecondAppenderIsRefused() throws {
        let log = try Sandbox().open()
        let first = try log.appender()
        let error = #expect(throws: EventLogError.self) { try log.appender() }
        #expect(error?.code == .appenderTaken)
        #expect(first.head == .start)
    }

    @Test("A commit without events flushes nothing")
    func anEmptyCommitFlushesNothing() throws {
        let counter = CountingDurability()
        var options = EventLog.Options()
        options.durability = counter
        let appender = try Sandbox().open(options: options).appender()
        #expect(try appender.commit() == .start)
        #expect(counter.count == 0)
        try appender.stage(event(.opened))
        try appender.commit()
        try appender.commit()
        #expect(counter.count == 1)
    }

    @Test("Staged events that were not committed are gone after a close")
    func closingForgetsWhatWasStagedAndNotCommitted() throws {
        let sandbox = try Sandbox()
        do {
            let log = try sandbox.open()
            let appender = try log.appender()
            try appender.stage(event(.opened, card(1)))
            try appender.commit()
            try appender.stage(event(.stamped, card(1)))
            try log.close()
        }
        let log = try sandbox.open()
        #expect(try log.positions(matching: .tags(card(1))) == [Position(1)])
    }

    @Test("A closed log gives no appender")
    func aClosedLogGivesNoAppender() throws {
        let log = try Sandbox().open()
        try log.close()
        try log.close()
        let error = #expect(throws: EventLogError.self) { try log.appender() }
        #expect(error?.code == .closed)
    }
}
