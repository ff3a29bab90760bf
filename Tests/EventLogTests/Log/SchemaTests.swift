import EventLog
import Testing

@Suite(.temporaryFolder) struct SchemaTests {
    private func schema(_ types: [EventType: String], _ kinds: [TagKind: String] = [:]) -> Schema {
        Schema(types: types, tagKinds: kinds.mapValues { TagKindRule(name: $0) })
    }

    private func expectConflict(_ sandbox: Sandbox, _ schema: Schema, _ access: EventLog.Access = .readWrite) {
        let error = #expect(throws: EventLogError.self) { try sandbox.open(access, schema: schema) }
        #expect(error?.code == .schemaConflict)
    }

    @Test("A log keeps the names of types and kinds")
    func namesAreKeptInTheLog() throws {
        let sandbox = try Sandbox()
        try sandbox.append([event(.opened, card(1))])
        let log = try sandbox.open(.readOnly, schema: schema([:]))
        #expect(log.name(of: EventType.opened) == "Opened" && log.name(of: TagKind.card) == "card")
        #expect(log.name(of: EventType(99)) == nil && log.name(of: TagKind(99)) == nil)
    }

    @Test("A new schema adds names and removes none")
    func newNumbersAreAddedAndOldOnesStay() throws {
        let sandbox = try Sandbox()
        _ = try sandbox.open(schema: schema([EventType(300): "A"], [TagKind(1): "a"]))
        _ = try sandbox.open(schema: schema([EventType(44): "B"], [TagKind(255): "b"]))
        let log = try sandbox.open(schema: schema([EventType(300): "A"]))
        #expect(log.name(of: EventType(300)) == "A" && log.name(of: EventType(44)) == "B")
        #expect(log.name(of: TagKind(1)) == "a" && log.name(of: TagKind(255)) == "b")
    }

    @Test("A schema that renames a number is refused")
    func aNumberKeepsItsName() throws {
        let sandbox = try Sandbox()
        _ = try sandbox.open(schema: schema([EventType(1): "A"], [TagKind(1): "a"]))
        expectConflict(sandbox, schema([EventType(1): "B"]))
        expectConflict(sandbox, schema([:], [TagKind(1): "b"]))
        expectConflict(sandbox, schema([EventType(1): "B"]), .readOnly)
        // The schema is rejected as a whole: if one of its names conflicts, its other new names are not added either.
        expectConflict(sandbox, schema([EventType(1): "B", EventType(2): "C"]))
        #expect(try sandbox.open(schema: schema([EventType(2): "D"])).name(of: EventType(2)) == "D")
    }

    @Test("A schema with an empty or too long name is refused")
    func strangeNamesAreRefused() throws {
        let sandbox = try Sandbox()
        expectConflict(sandbox, schema([EventType(1): ""]))
        expectConflict(sandbox, schema([:], [TagKind(1): String(repeating: "x", count: LogLimits.nameBytesMax + 1)]))
        expectConflict(sandbox, schema([:], [TagKind(0): "zero"]))
    }

    @Test("An event of a type that the schema does not have is readable")
    func aStoredTypeThatTheSchemaDoesNotKnowStaysReadable() throws {
        let sandbox = try Sandbox()
        try sandbox.append([event(.opened, card(1))])
        let log = try sandbox.open(schema: schema([EventType(1000): "Later"], [.card: "card"]))
        #expect(try log.event(at: Position(1))?.event.type == .opened)
        #expect(try log.positions(matching: .tags(card(1))) == [Position(1)])
    }
}
