import EventLog
import Testing

/// Tests each sentence of the contract of conditional appends, on every kind of log.
@Suite(.temporaryFolder, .timeLimit(.minutes(15))) struct AppendContractTests {
    /// Events: 1 opened card 1, 2 opened card 2, 3 stamped card 1 in shop 9, 4 closed card 2.
    private func log(_ kind: ContractKind) async throws -> any ContractLog {
        let log = try kind.open()
        _ = try await log.append([event(.opened, card(1)), event(.opened, card(2))], unless: nil)
        _ = try await log.append([event(.stamped, card(1), shop(9))], unless: nil)
        _ = try await log.append([event(.closed, card(2))], unless: nil)
        return log
    }

    @Test("Positions ascend from 1 without gaps", arguments: ContractKind.allCases)
    func positionsAreDenseFromOne(_ kind: ContractKind) async throws {
        let log = try kind.open()
        var next: UInt64 = 1
        for count in [1, 3, 2, 7, 1] {
            let outcome = await log.outcome(of: Array(repeating: event(.opened, card(1)), count: count))
            #expect(outcome == .appended(next, next + UInt64(count) - 1))
            next += UInt64(count)
        }
        #expect(try await log.read(.all).events.map(\.position.rawValue) == Array(1..<next))
    }

    @Test("An append without events is refused, whatever its condition", arguments: ContractKind.allCases)
    func anAppendOfNothingIsRefused(_ kind: ContractKind) async throws {
        let log = try await log(kind)
        let broken = AppendCondition(failIfEventsMatch: .all)
        for condition in [nil, AppendCondition(failIfEventsMatch: .tags(card(7))), broken] {
            #expect(await log.outcome(of: [], unless: condition) == .refused(.invalidQuery))
        }
    }

    @Test("An append with an invalid condition is refused", arguments: ContractKind.allCases)
    func aConditionThatIsNoQuestionIsRefused(_ kind: ContractKind) async throws {
        let log = try await log(kind)
        for query in QueryCheckingTests.refused {
            for after in [nil, Position.start, Position(99)] {
                let condition = AppendCondition(failIfEventsMatch: query, after: after)
                #expect(await log.outcome(of: [event(.noted)], unless: condition) == .refused(.invalidQuery), "\(query)")
            }
        }
        #expect(try await log.read(.all).head == Position(4))
    }

    @Test("A condition looks only at events after its position", arguments: ContractKind.allCases)
    func afterIsExclusive(_ kind: ContractKind) async throws {
        let query = Query.tags(card(1))
        for (after, conflicts) in [(0, [1, 3]), (1, [3]), (2, [3]), (3, []), (4, [])] as [(UInt64, [UInt64])] {
            let log = try await log(kind)
            let condition = AppendCondition(failIfEventsMatch: query, after: Position(after))
            let conflict = AppendConflict(positions: conflicts.map { Position($0) }, item: 0, canRetryHelp: true)
            let expected: ContractOutcome =
                conflicts.isEmpty ? .appended(5, 5) : .refused(code: "conditionFailed", position: nil, conflict: conflict)
            #expect(await log.outcome(of: [event(.stamped, card(1))], unless: condition) == expected, "after \(after)")
        }
    }

    @Test("A condition with a position beyond the head is refused, whatever its query", arguments: ContractKind.allCases)
    func afterBeyondTheHeadIsRefusedWhateverTheQuery(_ kind: ContractKind) async throws {
        let log = try await log(kind)
        for query in [Query.all, .tags(card(77)), .types(.opened)] {
            for after in [Position(5), .max] {
                let condition = AppendCondition(failIfEventsMatch: query, after: after)
                let expected = ContractOutcome.refused(code: "afterBeyondHead", position: after, conflict: nil)
                #expect(await log.outcome(of: [event(.noted)], unless: condition) == expected)
            }
        }
        let atHead = AppendCondition(failIfEventsMatch: .all, after: Position(4))
        #expect(await log.outcome(of: [event(.noted)], unless: atHead) == .appended(5, 5))
    }

    @Test("A condition without a position looks at the whole log", arguments: ContractKind.allCases)
    func withoutAfterNothingMatchingMayEverHaveHappened(_ kind: ContractKind) async throws {
        let log = try await log(kind)
        let never = AppendCondition(failIfEventsMatch: .tag(card(2), types: .closed))
        #expect(await log.outcome(of: [event(.noted)], unless: never) == .conflict(at: 4, item: 0, canRetryHelp: false))
        #expect(await log.outcome(of: [event(.noted)], unless: .init(failIfEventsMatch: .tags(card(3)))) == .appended(5, 5))
        let empty = try kind.open()
        #expect(await empty.outcome(of: [event(.opened)], unless: .init(failIfEventsMatch: .all)) == .appended(1, 1))
        let late = AppendCondition(failIfEventsMatch: .all, after: .start)
        #expect(await empty.outcome(of: [event(.opened)], unless: late) == .conflict(at: 1, item: nil, canRetryHelp: true))
    }

    @Test("A condition does not see the events of its own append", arguments: ContractKind.allCases)
    func aConditionNeverSeesItsOwnEvents(_ kind: ContractKind) async throws {
        let log = try await log(kind)
        let batch = [event(.opened, card(5)), event(.opened, card(5)), event(.stamped, card(5))]
        let once = AppendCondition(failIfEventsMatch: .tags(card(5)))
        #expect(await log.outcome(of: batch, unless: once) == .appended(5, 7))
        #expect(await log.outcome(of: batch, unless: once) == .conflict(at: 5, 6, 7, item: 0, canRetryHelp: false))
    }

    /// Queries, the positions of the events that match them, and the index of the item that the first of these events matches.
    static let meanings: [(query: Query, positions: [UInt64], item: Int?)] = [
        (.all, [1, 2, 3, 4], nil),
        (.types(.opened), [1, 2], 0),
        (.types(.closed, .stamped), [3, 4], 0),
        (.types(.noted), [], nil),
        (.tags(card(1)), [1, 3], 0),
        (.tags(card(1), shop(9)), [3], 0),
        (.tags(card(2), shop(9)), [], nil),
        (.tag(card(1), types: .opened, .closed), [1], 0),
        (.tag(card(1), types: .closed), [], nil),
        (.items([QueryItem(tags: [card(3)]), QueryItem(types: [.closed])]), [4], 1),
        (.items([QueryItem(types: [.closed]), QueryItem(tags: [card(1)])]), [1, 3, 4], 1),
        (.items([QueryItem(tags: [shop(9)]), QueryItem(tags: [card(1)])]), [1, 3], 1),
        (.items([QueryItem(types: [.noted], tags: [card(1)]), QueryItem(tags: [card(1), shop(8)])]), [], nil),
        (.items([QueryItem(tags: [card(1)]), QueryItem(types: [.opened])]), [1, 2, 3], 0),
    ]

    @Test("A query matches any of its items, and an item needs all of its tags", arguments: ContractKind.allCases)
    func itemsAreOrAndTagsAreAnd(_ kind: ContractKind) async throws {
        for (query, positions, item) in Self.meanings {
            let log = try await log(kind)
            #expect(try await log.read(query).events.map(\.position.rawValue) == positions, "\(query)")
            let conflict = AppendConflict(positions: positions.map { Position($0) }, item: item, canRetryHelp: false)
            let expected: ContractOutcome =
                positions.isEmpty ? .appended(5, 5) : .refused(code: "conditionFailed", position: nil, conflict: conflict)
            #expect(await log.outcome(of: [event(.noted)], unless: .init(failIfEventsMatch: query)) == expected, "\(query)")
        }
    }

    @Test("An append with one refused event stores none", arguments: ContractKind.allCases)
    func allEventsOfAnAppendOrNone(_ kind: ContractKind) async throws {
        let log = try await log(kind)
        let tooLarge = event(.noted, payload: Array(repeating: 0, count: 65_535))
        let tooMany = NewEvent(type: .noted, time: Timestamp(microseconds: 0), tags: (1...17).map { card($0) })
        for (bad, code) in [
            (tooLarge, EventLogError.Code.recordTooLarge), (tooMany, .tooManyTags), (event(EventType(99)), .schemaConflict),
        ] {
            let batch = [event(.opened, card(6)), bad, event(.closed, card(6))]
            #expect(await log.outcome(of: batch) == .refused(code))
            #expect(await log.outcome(of: batch, unless: .init(failIfEventsMatch: .tags(card(6)))) == .refused(code))
            #expect(
                await log.outcome(of: batch, unless: .init(failIfEventsMatch: .types(.closed)))
                    == .conflict(at: 4, item: 0, canRetryHelp: false))
        }
        #expect(try await log.read(.tags(card(6))) == ReadResult(events: [], head: Position(4)))
        #expect(await log.outcome(of: [event(.opened, card(6))]) == .appended(5, 5))
    }

    @Test("A conflict lists the oldest of many matching events", arguments: ContractKind.allCases)
    func aConflictListsTheOldestOfMany(_ kind: ContractKind) async throws {
        let log = try kind.open()
        for _ in 0..<6 { _ = try await log.append([event(.opened, card(1)), event(.stamped, card(1)), event(.noted)], unless: nil) }
        let condition = AppendCondition(failIfEventsMatch: .tags(card(1)), after: Position(1))
        let expected = ContractOutcome.conflict(at: 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, item: 0, canRetryHelp: true)
        #expect(await log.outcome(of: [event(.noted)], unless: condition) == expected)
        #expect(LogLimits.conflictPositionsMax == 10)
    }
}
