import EventLog
import SharedLogs
import Testing

/// Conditional appends from any task.
@Suite(.temporaryFolder, .timeLimit(.minutes(15))) struct LogWriterTests {
    @Test("An append returns the positions of its events", arguments: DurabilityKind.allCases)
    func anAppendSaysWhereItsEventsAre(_ kind: DurabilityKind) async throws {
        let writer = LogWriter(try Sandbox().open(options: kind.options()))
        #expect(try await writer.append([event(.opened, card(1)), event(.stamped, card(1))]) == Position(1)...Position(2))
        #expect(try await writer.append([event(.closed, card(1))]) == Position(3)...Position(3))
        stop(writer)
    }

    @Test("A refused append stores nothing", arguments: DurabilityKind.allCases)
    func nothingIsAppendedByARefusedOne(_ kind: DurabilityKind) async throws {
        let log = try Sandbox().open(options: kind.options())
        let writer = LogWriter(log)
        let seen = AppendCondition(failIfEventsMatch: .tags(card(1)))
        try await writer.append([event(.opened, card(1))], unless: seen)
        let refused: [([NewEvent], AppendCondition?, EventLogError.Code)] = [
            ([event(.opened, card(1))], seen, .conditionFailed),
            ([], nil, .invalidQuery),
            ([event(.opened)], AppendCondition(failIfEventsMatch: .items([])), .invalidQuery),
            ([event(.opened)], AppendCondition(failIfEventsMatch: .tags(card(2)), after: Position(2)), .afterBeyondHead),
            ([event(EventType(99))], nil, .schemaConflict),
            ([event(.opened, card(2)), event(.opened, payload: Array(repeating: 0, count: 70_000))], nil, .recordTooLarge),
        ]
        for (events, condition, code) in refused {
            let error = await #expect(throws: EventLogError.self) { try await writer.append(events, unless: condition) }
            #expect(error?.code == code)
        }
        #expect(log.head == Position(1))
        stop(writer)
    }

    @Test("Appends complete while the index stalls after each event", arguments: DurabilityKind.allCases)
    func aStallingIndexStopsNobodyForEver(_ kind: DurabilityKind) async throws {
        var options = try kind.options()
        (options.indexFlushEvents, options.indexStallEvents) = (1, 1)
        let log = try Sandbox().open(options: options)
        let writer = LogWriter(log)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                group.addTask {
                    for _ in 0..<5 { try await writer.append([event(.stamped, card(UInt128(number)))]) }
                }
            }
            try await group.waitForAll()
        }
        #expect(log.head == Position(2_000))
        stop(writer)
    }

    /// Calls `stop` for an asynchronous test, which cannot call it directly.
    private func stop(_ writer: LogWriter) { writer.stop() }
}
