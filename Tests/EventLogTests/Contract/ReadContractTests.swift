import EventLog
import Testing

/// Tests the contract of reads, on every kind of log.
@Suite(.temporaryFolder, .timeLimit(.minutes(15))) struct ReadContractTests {
    /// Ten events whose types are opened, stamped and closed in turn, for the cards 0 to 3 in turn.
    private func log(_ kind: ContractKind) async throws -> any ContractLog {
        let log = try kind.open()
        for number in 1...10 {
            let type = [EventType.opened, .stamped, .closed][number % 3]
            _ = try await log.append([event(type, card(UInt128(number % 4)), payload: [UInt8(number)])], unless: nil)
        }
        return log
    }

    @Test("Each read returns the head of the log", arguments: ContractKind.allCases)
    func everyReadTellsTheHeadOfTheLog(_ kind: ContractKind) async throws {
        let log = try kind.open()
        #expect(try await log.read(.all) == ReadResult(events: [], head: .start))
        #expect(try await log.read(.tags(card(1))) == ReadResult(events: [], head: .start))
        for number in 1...5 as ClosedRange<UInt64> {
            _ = try await log.append([event(.opened, card(1))], unless: nil)
            for query in [Query.all, .tags(card(1)), .tags(card(2)), .types(.closed)] {
                for (backwards, limit) in [(false, Int.max), (true, .max), (false, 1), (true, 0)] {
                    let read = try await log.read(query, after: .start, backwards: backwards, limit: limit)
                    #expect(read.head == Position(number))
                }
            }
        }
    }

    @Test("The head of a read is the position for the condition of the next append", arguments: ContractKind.allCases)
    func whatWasReadIsTheAfterOfTheAppend(_ kind: ContractKind) async throws {
        let log = try await log(kind)
        let read = try await log.read(.tags(card(1)))
        #expect(read.events.last?.position == Position(9) && read.head == Position(10))
        let condition = AppendCondition(failIfEventsMatch: .tags(card(1)), after: read.head)
        #expect(await log.outcome(of: [event(.noted, card(2))], unless: condition) == .appended(11, 11))
        #expect(await log.outcome(of: [event(.noted, card(1))], unless: condition) == .appended(12, 12))
        #expect(await log.outcome(of: [event(.noted, card(1))], unless: condition) == .conflict(at: 12, item: 0, canRetryHelp: true))
    }

    @Test("Order, limit and position of a read can be combined", arguments: ContractKind.allCases)
    func orderLimitAndAfterGoTogether(_ kind: ContractKind) async throws {
        let log = try await log(kind)
        let queries: [(Query, [UInt64])] = [
            (.all, Array(1...10)), (.tags(card(1)), [1, 5, 9]), (.types(.stamped), [1, 4, 7, 10]),
            (.items([QueryItem(tags: [card(1)]), QueryItem(types: [.closed])]), [1, 2, 5, 8, 9]),
        ]
        for (query, all) in queries {
            for after in 0...10 as ClosedRange<UInt64> {
                let expected = all.filter { $0 > after }
                for limit in [0, 1, 2, 3, Int.max] {
                    let first = try await log.read(query, after: Position(after), backwards: false, limit: limit)
                    #expect(first.events.map(\.position.rawValue) == Array(expected.prefix(limit)))
                    let last = try await log.read(query, after: Position(after), backwards: true, limit: limit)
                    #expect(last.events.map(\.position.rawValue) == Array(expected.reversed().prefix(limit)))
                }
            }
        }
    }

    @Test("Events are read as they were appended", arguments: ContractKind.allCases)
    func eventsAreReadAsTheyWereAppended(_ kind: ContractKind) async throws {
        let log = try await log(kind)
        let read = try await log.read(.tags(card(3)))
        #expect(read.events.map(\.event) == [event(.opened, card(3), payload: [3]), event(.stamped, card(3), payload: [7])])
    }

    @Test("An invalid query is refused", arguments: ContractKind.allCases)
    func whatIsNoQuestionGetsNoAnswer(_ kind: ContractKind) async throws {
        let log = try await log(kind)
        for query in QueryCheckingTests.refused {
            #expect(await log.outcome(ofReading: query, after: .start, backwards: false, limit: 1) == .refused(.invalidQuery))
        }
        #expect(await log.outcome(ofReading: .all, after: .start, backwards: false, limit: -1) == .refused(.invalidQuery))
        for after in [Position(11), .max] {
            let refused = ContractOutcome.refused(code: "afterBeyondHead", position: after, conflict: nil)
            #expect(await log.outcome(ofReading: .tags(card(1)), after: after, backwards: true, limit: 1) == refused)
        }
        #expect(try await log.read(.all, after: Position(10)) == ReadResult(events: [], head: Position(10)))
    }

    /// The returned head must fit the returned events. Every event matches all of the queries, so each read must return all positions after
    /// the previous read's head, through its own head.
    @Test("A read during appends returns exactly the events through its head")
    func aReadIsExactWhileOthersAppend() async throws {
        let log = try Sandbox().open(options: .tiny(flush: 20))
        let writer = LogWriter(log)
        let isDone = Shared(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for query in [Query.all, .tags(card(1)), .types(.opened)] {
                group.addTask {
                    var last: UInt64 = 0
                    while !isDone.value, !Task.isCancelled {
                        let read = try log.read(query, after: Position(last))
                        #expect(read.events.map(\.position.rawValue) == Array(last..<read.head.rawValue).map { $0 + 1 })
                        last = read.head.rawValue
                        await Task.yield()
                    }
                }
            }
            for number in 0..<300 { try await writer.append(Array(repeating: event(.opened, card(1)), count: 1 + number % 7)) }
            isDone.value = true
            try await group.waitForAll()
        }
        stop(writer)
    }

    /// Calls `stop` for an asynchronous test, which cannot call it directly.
    private func stop(_ writer: LogWriter) { writer.stop() }
}
