import EventLog
import Patience
import Synchronization
import Testing

/// Decisions that are made again because of a concurrent append.
@Suite(.temporaryFolder, .timeLimit(.minutes(15))) struct DecisionTests {
    @Test("If many tasks compete for the last places, exactly as many succeed as there are places") func lastPlaces() async throws {
        let (log, places) = (try Sandbox().open(), 12)
        try await log.withWriter { writer in
            let taken = try await withThrowingTaskGroup(of: Bool.self) { group in
                for task in 0..<40 {
                    group.addTask {
                        let decision = try await writer.decide(on: .tags(shop(1))) { taken in
                            taken.count < places ? [event(.opened, shop(1), card(UInt128(task)))] : []
                        }
                        #expect(log.head >= decision.head)
                        return decision.positions != nil
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(taken == places && log.head == Position(UInt64(places)))
        }
    }

    @Test("An attempt gets all matching events, also those appended during earlier attempts") func eventsOfAttempts() async throws {
        let log = try Sandbox().open()
        try await log.withWriter { writer in
            try await writer.append([event(.opened, card(1)), event(.opened, card(2))])
            let seen = Shared<[[UInt64]]>([])
            let decision = try await writer.repeatedly(on: .tags(card(1))) { events in
                seen.update { $0.append(events.map(\.position.rawValue)) }
                if events.count < 3 { try await writer.append([event(.stamped, card(2)), event(.stamped, card(1))]) }
                return [event(.closed, card(1)), event(.closed, card(1))]
            }
            #expect(seen.value == [[1], [1, 4], [1, 4, 6]])
            #expect(decision.positions == Position(7)...Position(8) && decision.head == Position(8))
        }
    }

    @Test("A decision on the newest events reads no others, and conflicts with every new match") func newestEvents() async throws {
        let log = try Sandbox().open()
        try await log.withWriter { writer in
            for _ in 1...5 { try await writer.append([event(.opened, card(1))]) }
            let seen = Shared<[[UInt64]]>([])
            try await writer.repeatedly(on: .tags(card(1)), newest: 2) { events in
                seen.update { $0.append(events.map(\.position.rawValue)) }
                if seen.value.count < 3 { try await writer.append(Array(repeating: event(.stamped, card(1)), count: seen.value.count)) }
                return [event(.closed, card(1))]
            }
            #expect(seen.value == [[4, 5], [5, 6], [7, 8]])
        }
    }

    @Test("A decision without events appends nothing and returns the head") func nothingToAppend() async throws {
        let log = try Sandbox().open()
        try await log.withWriter { writer in
            let empty = try await writer.decide(on: .tags(card(1))) { _ in [] }
            #expect(empty.positions == nil && empty.head == .start)
            try await writer.append([event(.opened, card(2)), event(.opened, card(2))])
            let decision = try await writer.decide(on: .tags(card(1))) { _ in [] }
            #expect(decision.positions == nil && decision.head == Position(2) && log.head == Position(2))
        }
    }

    @Test("After the last attempt the error names the conflict", arguments: [1, 2, 5]) func lastAttempt(_ attempts: Int) async throws {
        let log = try Sandbox().open()
        try await log.withWriter { writer in
            var made = 0
            do {
                try await writer.repeatedly(on: .types(.opened), attempts: attempts) { events in
                    made += 1
                    try await writer.append([event(.opened)])
                    return [event(.closed)]
                }
                Issue.record("no conflict")
            } catch let error as EventLogError {
                #expect(error.code == .contended && error.conflict?.positions == [Position(UInt64(attempts))])
                #expect(error.description.contains("\(attempts) attempts"))
            }
            #expect(made == attempts && log.head == Position(UInt64(attempts)))
        }
    }

    @Test("A number of attempts below one is refused") func noAttempts() async throws {
        let log = try Sandbox().open()
        try await log.withWriter { writer in
            let error = await #expect(throws: EventLogError.self) { try await writer.decide(on: .all, attempts: 0) { _ in [] } }
            #expect(error?.code == .invalidQuery && error?.detail.contains("at least 1") == true)
        }
    }

    @Test("A negative number of newest events is refused, and 0 means that no event is read") func newestOutOfRange() async throws {
        let log = try Sandbox().open()
        try await log.withWriter { writer in
            let error = await #expect(throws: EventLogError.self) { try await writer.decide(on: .all, newest: -1) { _ in [] } }
            #expect(error?.code == .invalidQuery && error?.detail.contains("at least 0") == true)
            try await writer.append([event(.opened, card(1))])
            let decision = try await writer.decide(on: .all, newest: 0) { known in
                #expect(known.isEmpty)
                return [event(.closed, card(1))]
            }
            #expect(decision.positions == Position(2)...Position(2))
        }
    }

    @Test("An error thrown by the decision ends the attempts, and nothing is appended") func refusal() async throws {
        struct CardIsClosed: Error {}
        let log = try Sandbox().open()
        try await log.withWriter { writer in
            await #expect(throws: CardIsClosed.self) { try await writer.decide(on: .all) { _ in throw CardIsClosed() } }
            let unknown = await #expect(throws: EventLogError.self) {
                try await writer.decide(on: .all) { _ in [event(.opened), event(.max)] }
            }
            #expect(unknown?.code == .schemaConflict)
        }
        #expect(log.head == .start)
    }

    @Test("A cancelled task makes no further attempt") func cancellation() async throws {
        let log = try Sandbox().open()
        try await log.withWriter { writer in
            let (attempts, own) = (Shared(0), Shared<Task<DecisionResult, any Error>?>(nil))
            let task = Task {
                try await writer.repeatedly(on: .all) { _ in
                    attempts.update { $0 += 1 }
                    try await writer.append([event(.opened)])
                    try await eventually("the test holds the task") { own.value != nil }
                    own.value?.cancel()
                    return [event(.closed)]
                }
            }
            own.value = task
            await #expect(throws: CancellationError.self) { try await task.valueInTime() }
            #expect(attempts.value == 1 && log.head == Position(1))
        }
    }
}
