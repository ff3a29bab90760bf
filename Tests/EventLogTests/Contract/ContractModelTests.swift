import EventLog
import Seeds
import Testing

/// A random script of appends and reads runs against the real log and against the simple model `MemoryLog`. The log must give the same
/// answers and errors as the model.
@Suite(.temporaryFolder, .timeLimit(.minutes(15))) struct ContractModelTests {
    static let real = ContractKind.allCases.filter { $0 != .memory }

    @Test("A log answers random appends and reads as an array in memory does", arguments: real)
    func theRealLogAnswersLikeTheArray(_ kind: ContractKind) async throws {
        let generator = SeededRandom.announced("theRealLogAnswersLikeTheArray(\(kind))"), seed = generator.seed
        var script = RandomHistory(generator: generator)
        var appended = 0
        for _ in 0..<4 {
            let (model, real) = (MemoryLog(), try kind.open())
            for step in 0..<120 {
                if script.generator.oneIn(3) {
                    let (query, after) = (question(&script), after(model.head, &script.generator))
                    let (backwards, limit) = (script.generator.oneIn(2), script.generator.pick([-1, 0, 1, 3, .max, .max]))
                    let expected = await model.outcome(ofReading: query, after: after, backwards: backwards, limit: limit)
                    let answer = await real.outcome(ofReading: query, after: after, backwards: backwards, limit: limit)
                    #expect(answer == expected, "seed \(seed), step \(step): \(query) after \(after)")
                } else {
                    let (events, condition) = (batch(&script), condition(model.head, &script))
                    let expected = await model.outcome(of: events, unless: condition)
                    let answer = await real.outcome(of: events, unless: condition)
                    #expect(answer == expected, "seed \(seed), step \(step): \(String(describing: condition))")
                    if case .appended = answer { appended += 1 }
                }
            }
        }
        #expect(appended > 40, "seed \(seed): too few appends were accepted")
    }

    private func batch(_ script: inout RandomHistory) -> [NewEvent] {
        var events = script.events(script.generator.pick([0, 1, 1, 1, 2, 3, 5]))
        guard !events.isEmpty, script.generator.oneIn(12) else { return events }
        let bad = script.generator.pick([
            event(EventType(50)), event(.noted, payload: Array(repeating: 7, count: 65_530)),
            NewEvent(type: .noted, time: Timestamp(microseconds: 1), tags: (0...16).map { card($0) }),
        ])
        events[script.generator.int(0...events.count - 1)] = bad
        return events
    }

    /// Generates mostly conditions with few items, because a condition that matches nearly everything rejects nearly every append.
    private func condition(_ head: UInt64, _ script: inout RandomHistory) -> AppendCondition? {
        if script.generator.oneIn(4) { return nil }
        let isRecent = !script.generator.oneIn(4)
        let back = UInt64(min(Int(head), script.generator.int(0...3)))
        let after: Position? = isRecent ? Position(head - back) : script.generator.oneIn(2) ? nil : after(head, &script.generator)
        return AppendCondition(failIfEventsMatch: question(&script), after: after)
    }

    private func question(_ script: inout RandomHistory) -> Query {
        script.generator.oneIn(15) ? script.generator.pick(QueryCheckingTests.refused) : script.query()
    }

    private func after(_ head: UInt64, _ generator: inout SeededRandom) -> Position {
        Position(UInt64(generator.int(0...Int(head) + (generator.oneIn(8) ? 2 : 0))))
    }
}
