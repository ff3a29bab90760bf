import EventLog
import Testing

@Suite(.temporaryFolder) struct QueryCheckingTests {
    static let refused: [Query] = [
        .items([]),
        .items([QueryItem()]),
        .items([QueryItem(tags: [card(1)]), QueryItem()]),
        .tags(Tag(.digest, 1)),
        .tags(card(1), Tag(.digest, 1)),
        .items([QueryItem](repeating: QueryItem(tags: [card(1)]), count: LogLimits.queryItemsMax + 1)),
        .items([QueryItem(types: (0...UInt16(LogLimits.queryTypesMax)).map { EventType($0) })]),
        .items([QueryItem(tags: (0...UInt128(LogLimits.tagsMax)).map { card($0) })]),
    ]

    /// Queries with type numbers or tag kind numbers that the schema does not name.
    static let unknown: [Query] = [
        .tags(Tag(TagKind(77), 1)), .tags(Tag(TagKind(0), 1)), .types(EventType(5)), .types(.opened, .max), .types(EventType(0)),
        .tag(card(1), types: EventType(99)), .items([QueryItem(tags: [card(1)]), QueryItem(types: [.max])]),
    ]

    @Test("A query for a number that the schema does not name is refused", arguments: unknown) func unknownNumber(_ query: Query)
        async throws
    {
        let log = try Sandbox().open()
        let appender = try log.appender()
        let sources: [any EventSource] = [log, appender]
        for source in sources {
            let error = #expect(throws: EventLogError.self) { try source.read(query) }
            #expect(error?.code == .schemaConflict && error?.detail.contains("the schema has no") == true)
        }
        let error = #expect(throws: EventLogError.self) { try log.subscribe(to: query) }
        #expect(error?.code == .schemaConflict)
    }

    @Test("A single look-up of a number that the schema does not name is refused") func unknownNumberOfALookUp() throws {
        let log = try Sandbox().open()
        let type = #expect(throws: EventLogError.self) { try log.lastPosition(of: card(1), type: .max) }
        let kind = #expect(throws: EventLogError.self) { try log.lastPosition(of: Tag(TagKind(77), 1)) }
        #expect(type?.code == .schemaConflict && kind?.code == .schemaConflict)
        #expect(try log.lastPosition(of: card(1), type: .opened) == nil)
    }

    @Test("An invalid query is refused by the log and its appender", arguments: refused.indices)
    func whatIsNoQuestionIsRefused(_ number: Int) throws {
        let log = try Sandbox().open()
        let appender = try log.appender()
        let query = Self.refused[number]
        let sources: [any EventSource] = [log, appender]
        for source in sources {
            let error = #expect(throws: EventLogError.self) { try source.positions(matching: query) }
            #expect(error?.code == .invalidQuery)
        }
    }

    @Test("A look-up by a kind that is not indexed is refused")
    func aKindThatIsNotIndexedIsRefusedBySingleLookUpsToo() throws {
        let log = try Sandbox().open()
        let appender = try log.appender()
        #expect(throws: EventLogError.self) { try log.lastPosition(of: Tag(.digest, 1)) }
        #expect(throws: EventLogError.self) { try appender.lastPosition(of: Tag(.digest, 1)) }
    }

    @Test("A position beyond the head is refused")
    func afterBeyondTheHeadTellsOfALogThatWasRolledBack() throws {
        let sandbox = try Sandbox()
        let log = try sandbox.open()
        let appender = try log.appender()
        try appender.stage(event(.opened, card(1)))
        try appender.commit()
        #expect(try log.positions(matching: .all, after: Position(1)).isEmpty)
        for query in [Query.all, .tags(card(1))] {
            let error = #expect(throws: EventLogError.self) { try log.positions(matching: query, after: Position(2)) }
            #expect(error?.code == .afterBeyondHead && error?.position == Position(2))
        }
        #expect(throws: EventLogError.self) { try log.scan(after: Position(2)) { _, _ in true } }
    }

    @Test("A negative limit is refused")
    func aNegativeLimitIsRefused() throws {
        let log = try Sandbox().open()
        let error = #expect(throws: EventLogError.self) { try log.positions(matching: .all, limit: -1) }
        #expect(error?.code == .invalidQuery)
    }
}
