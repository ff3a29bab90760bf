import EventLog
import Testing

@Suite(.temporaryFolder) struct ReadingTests {
    /// Events: 1 opened card 1, 2 opened card 2, 3 stamped card 1, 4 stamped card 1, 5 closed card 2. All but event 5 have the tag of shop
    /// 9.
    private func history(in sandbox: Sandbox) throws -> EventLog {
        let log = try sandbox.open()
        let appender = try log.appender()
        try appender.stage([
            event(.opened, card(1), shop(9)), event(.opened, card(2), shop(9)), event(.stamped, card(1), shop(9)),
            event(.stamped, card(1), shop(9)), event(.closed, card(2)),
        ])
        try appender.commit()
        return log
    }

    private static func numbers(_ positions: [Position]) -> [UInt64] { positions.map(\.rawValue) }

    static let questions: [(Query, [UInt64])] = [
        (.all, [1, 2, 3, 4, 5]),
        (.types(.opened), [1, 2]),
        (.types(.opened, .closed), [1, 2, 5]),
        (.tags(card(1)), [1, 3, 4]),
        (.tags(card(2), shop(9)), [2]),
        (.tags(card(3)), []),
        (.tag(card(1), types: .stamped), [3, 4]),
        (.tag(card(1), types: .closed), []),
        (.items([QueryItem(types: [.closed]), QueryItem(tags: [card(2)])]), [2, 5]),
        (.items([QueryItem(tags: [card(1)]), QueryItem(tags: [shop(9)])]), [1, 2, 3, 4]),
        (.tag(shop(9), types: .stamped, .stamped, .opened), [1, 2, 3, 4]),
    ]

    @Test("Each query finds the expected events", arguments: questions.indices)
    func everyQueryFindsWhatItMeans(_ number: Int) throws {
        let (query, expected) = Self.questions[number]
        let log = try history(in: Sandbox())
        #expect(Self.numbers(try log.positions(matching: query)) == expected)
        #expect(Self.numbers(try log.positions(matching: query, backwards: true)) == expected.reversed())
        for limit in 0...3 {
            #expect(Self.numbers(try log.positions(matching: query, limit: limit)) == Array(expected.prefix(limit)))
            let last = try log.positions(matching: query, backwards: true, limit: limit)
            #expect(Self.numbers(last) == Array(expected.reversed().prefix(limit)))
        }
        let middle = try log.positions(matching: query, after: Position(1), through: Position(4), backwards: false, limit: .max)
        #expect(Self.numbers(middle) == expected.filter { $0 > 1 && $0 <= 4 })
    }

    @Test("Events are read as they were appended")
    func eventsComeBackAsTheyWere() throws {
        let log = try history(in: Sandbox())
        #expect(try log.event(at: Position(3))?.event == event(.stamped, card(1), shop(9)))
        #expect(try log.events(matching: .tags(card(2))).map(\.position) == [Position(2), Position(5)])
        #expect(try log.event(at: .start) == nil)
        #expect(try log.event(at: Position(6)) == nil)
    }

    @Test("The last position of a tag is found with and without a type")
    func theNewestOfATagIsFoundWithAndWithoutType() throws {
        let log = try history(in: Sandbox())
        #expect(try log.lastPosition(of: card(1)) == Position(4))
        #expect(try log.lastPosition(of: card(1), type: .opened) == Position(1))
        #expect(try log.lastPosition(of: card(1), type: .closed) == nil)
        #expect(try log.lastPosition(of: card(7)) == nil)
    }

    @Test("A scan gives each record once and stops when its body returns false")
    func aScanGivesEveryRecordOnceAndStopsWhenTold() throws {
        let log = try history(in: Sandbox())
        var seen: [UInt64] = []
        try log.scan { position, record in
            seen.append(position.rawValue)
            return record.type != .closed
        }
        #expect(seen == [1, 2, 3, 4, 5])
        seen = []
        try log.scan(after: Position(1), through: Position(3)) { position, _ in
            seen.append(position.rawValue)
            return true
        }
        #expect(seen == [2, 3])
        try log.scan(after: Position(5)) { _, _ in false }
    }

    @Test("A scan throws the error of its body")
    func whatABodyThrowsComesThrough() throws {
        struct Stop: Error {}
        let log = try history(in: Sandbox())
        #expect(throws: Stop.self) { try log.scan { _, _ in throw Stop() } }
    }

    @Test("An empty log answers each query with no events")
    func anEmptyLogAnswersToo() throws {
        let log = try Sandbox().open()
        #expect(log.head == .start)
        #expect(try log.positions(matching: .all).isEmpty)
        #expect(try log.positions(matching: .tags(card(1)), backwards: true).isEmpty)
        try log.scan { _, _ in throw EventLogError(.damaged, "there is nothing to scan") }
    }
}
