import EventLog
import Testing

@Suite(.temporaryFolder) struct QueryCheckingTests {
    static let refused: [Query] = [
        .items([]),
        .items([QueryItem()]),
        .items([QueryItem(tags: [card(1)]), QueryItem()]),
        .tags(Tag(.digest, 1)),
        .tags(card(1), Tag(.digest, 1)),
        .tags(Tag(TagKind(77), 1)),
        .tags(Tag(TagKind(0), 1)),
        .items([QueryItem](repeating: QueryItem(tags: [card(1)]), count: LogLimits.queryItemsMax + 1)),
        .items([QueryItem(types: (0...UInt16(LogLimits.queryTypesMax)).map { EventType($0) })]),
        .items([QueryItem(tags: (0...UInt128(LogLimits.tagsMax)).map { card($0) })]),
    ]

    @Test(arguments: refused.indices) func whatIsNoQuestionIsRefused(_ number: Int) throws {
        let log = try Sandbox().open()
        let appender = try log.appender()
        let query = Self.refused[number]
        let sources: [any EventSource] = [log, appender]
        for source in sources {
            let error = #expect(throws: EventLogError.self) { try source.positions(matching: query) }
            #expect(error?.code == .invalidQuery)
        }
    }

    @Test func aKindThatIsNotIndexedIsRefusedBySingleLookUpsToo() throws {
        let log = try Sandbox().open()
        let appender = try log.appender()
        #expect(throws: EventLogError.self) { try log.lastPosition(of: Tag(.digest, 1)) }
        #expect(throws: EventLogError.self) { try appender.lastPosition(of: Tag(.digest, 1)) }
    }

    @Test func afterBeyondTheHeadTellsOfALogThatWasRolledBack() throws {
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

    @Test func aNegativeLimitIsRefused() throws {
        let log = try Sandbox().open()
        let error = #expect(throws: EventLogError.self) { try log.positions(matching: .all, limit: -1) }
        #expect(error?.code == .invalidQuery)
    }
}
