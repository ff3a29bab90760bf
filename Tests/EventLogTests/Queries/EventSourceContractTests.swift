import EventLog
import Seeds
import Testing

/// The contract of every source of events, tested for each kind with the same history and the same queries.
@Suite(.temporaryFolder) struct EventSourceContractTests {
    /// The states in which a source can hold the history.
    enum Kind: CaseIterable {
        /// All events are committed, and the index is in memory.
        case log
        /// All events are committed, and the index was flushed after each event.
        case logWithFlushedIndex
        /// The log was opened for reading only, without an index.
        case readOnly
        /// No event is committed.
        case staged
        /// Half of the events are committed.
        case halfStaged
        /// All events are committed, and read through the appender.
        case appender
    }

    private func source(_ kind: Kind, _ events: [NewEvent]) throws -> any EventSource {
        let sandbox = try Sandbox()
        if kind == .readOnly {
            try sandbox.append(events)
            return try sandbox.open(.readOnly)
        }
        let log = try sandbox.open(options: kind == .logWithFlushedIndex ? .tiny(flush: 1) : .init())
        let appender = try log.appender()
        let split = kind == .staged ? 0 : kind == .halfStaged ? events.count / 2 : events.count
        for event in events[..<split] {
            try appender.stage(event)
            try appender.commit()
        }
        try appender.stage(Array(events[split...]))
        return kind == .log || kind == .logWithFlushedIndex ? log : appender
    }

    private func history(_ test: String) -> (RandomHistory, String) {
        let generator = SeededRandom.announced(test), seed = generator.seed
        return (RandomHistory(generator: generator), "seed \(seed)")
    }

    @Test("Each source answers a random query as the oracle does", arguments: Kind.allCases)
    func queriesMeanTheSameEverywhere(_ kind: Kind) throws {
        var (history, seed) = history("queriesMeanTheSameEverywhere")
        let oracle = Oracle(events: history.events(60))
        let source = try source(kind, oracle.events)
        for _ in 0..<150 {
            let query = history.query()
            let (after, through) = (UInt64(history.generator.int(0...60)), UInt64(history.generator.int(0...62)))
            let (backwards, limit) = (history.generator.oneIn(2), history.generator.pick([1, 3, .max]))
            let found = try source.positions(
                matching: query, after: Position(after), through: Position(through), backwards: backwards, limit: limit)
            let expected = oracle.positions(query, after: after, through: through, backwards: backwards, limit: limit)
            #expect(found == expected, "\(seed): \(query) after \(after) through \(through)")
        }
    }

    @Test("Each source gives back whole events", arguments: Kind.allCases)
    func eventsComeBackWhole(_ kind: Kind) throws {
        var (history, seed) = history("eventsComeBackWhole")
        let events = history.events(30)
        let source = try source(kind, events)
        let expected = events.enumerated().map { SequencedEvent(position: Position(UInt64($0 + 1)), event: $1.normalized) }
        #expect(try source.events(matching: .all) == expected, "\(seed)")
        #expect(try source.events(matching: .all, backwards: true, limit: 5) == expected.reversed().prefix(5).map { $0 }, "\(seed)")
        for one in expected { #expect(try source.event(at: one.position) == one) }
        #expect(try source.event(at: .start) == nil)
        #expect(try source.event(at: Position(31)) == nil)
        #expect(try source.event(at: .max) == nil)
    }

    @Test("The last position of a tag is the first in descending order", arguments: Kind.allCases)
    func theLastOfATagIsTheFirstBackwards(_ kind: Kind) throws {
        var (history, seed) = history("theLastOfATagIsTheFirstBackwards")
        let source = try source(kind, history.events(40))
        for _ in 0..<100 {
            let (tag, type) = (history.tag(), history.generator.pick(RandomHistory.types))
            let any = try source.positions(matching: .tags(tag), backwards: true, limit: 1).first
            let typed = try source.positions(matching: .tag(tag, types: type), backwards: true, limit: 1).first
            #expect(try source.lastPosition(of: tag) == any, "\(seed): \(tag)")
            #expect(try source.lastPosition(of: tag, type: type) == typed, "\(seed): \(tag) \(type)")
        }
    }

    @Test("Each source refuses the same queries", arguments: Kind.allCases)
    func whatIsRefusedIsRefusedEverywhere(_ kind: Kind) throws {
        let source = try source(kind, [event(.opened, card(1)), event(.closed, card(1))])
        #expect(source.head == Position(2))
        let refused: [(Query, Position, EventLogError.Code)] = [
            (.items([]), .start, .invalidQuery), (.items([QueryItem()]), .start, .invalidQuery),
            (.tags(Tag(.digest, 1)), .start, .invalidQuery), (.all, Position(3), .afterBeyondHead),
            (.tags(card(1)), .max, .afterBeyondHead),
        ]
        for (query, after, code) in refused {
            let error = #expect(throws: EventLogError.self) { try source.positions(matching: query, after: after) }
            #expect(error?.code == code)
        }
        let error = #expect(throws: EventLogError.self) { try source.lastPosition(of: Tag(.digest, 1)) }
        #expect(error?.code == .invalidQuery)
    }

    @Test("Each source throws the error of the body", arguments: Kind.allCases)
    func aBodysErrorComesThrough(_ kind: Kind) throws {
        let source = try source(kind, [event(.opened, card(1))])
        let error = #expect(throws: EventLogError.self) {
            try source.withRecord(at: Position(1)) { (_) throws(EventLogError) in throw EventLogError(.io, "mine") }
        }
        #expect(error?.detail == "mine")
        let tags = try source.withRecord(at: Position(1)) { (record) throws(EventLogError) in record.tagCount }
        #expect(tags == 1)
    }
}
