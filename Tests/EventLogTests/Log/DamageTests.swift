import EventLog
import LMDB
import Testing

/// Tests the errors that a log reports if its file was changed.
@Suite(.temporaryFolder) struct DamageTests {
    private func filled() throws -> Sandbox {
        let sandbox = try Sandbox()
        try sandbox.append((1...5).map { event(.stamped, card($0 % 2)) })
        return sandbox
    }

    /// Replaces or removes a record of a closed log.
    func damage(_ sandbox: Sandbox, with bytes: [UInt8]?, at position: UInt64 = 3) throws {
        let environment = try Environment(directory: sandbox.log, access: .readWrite)
        let events = try environment.table("events", .integer)
        var transaction = try environment.write()
        if let bytes { try transaction.put(events, position, bytes.span) } else { _ = try transaction.delete(events, position) }
        try transaction.commit()
    }

    private func expectDamage(at position: UInt64 = 3, _ body: () throws -> Void) {
        let error = #expect(throws: EventLogError.self) { try body() }
        #expect(error?.code == .damaged && error?.position == Position(position))
    }

    @Test(
        "Each read that meets a damaged record names its position",
        arguments: [[], [1], [2] + [UInt8](repeating: 0, count: 40), [UInt8](repeating: 1, count: 40)])
    func aRecordThatIsNoneIsNamedByEveryRead(_ bytes: [UInt8]) throws {
        let sandbox = try filled()
        try damage(sandbox, with: bytes)
        let log = try sandbox.open()
        expectDamage { _ = try log.event(at: Position(3)) }
        expectDamage { try log.scan { _, _ in true } }
        expectDamage { _ = try log.positions(matching: .tags(card(1))) }
        expectDamage { _ = try log.positions(matching: .types(.stamped), backwards: true) }
        #expect(try log.positions(matching: .tags(card(0))).map(\.rawValue) == [2, 4], "undamaged records can be read")
    }

    @Test("A damaged record stops making the index")
    func aDamagedRecordStopsAReplayOfTheIndex() throws {
        let sandbox = try filled()
        try damage(sandbox, with: [9])
        try sandbox.deleteIndex()
        expectDamage { _ = try sandbox.open() }
    }

    @Test("A missing record is found at the opening", arguments: [EventLog.Access.readOnly, .readWrite])
    func aGapIsFoundAtOpening(_ access: EventLog.Access) throws {
        let sandbox = try filled()
        try damage(sandbox, with: nil)
        expectDamage { _ = try sandbox.open(access) }
    }

    @Test("A log whose first record is missing is damaged")
    func aLogThatDoesNotBeginWithOneHasAGap() throws {
        let sandbox = try filled()
        do {
            let environment = try Environment(directory: sandbox.log, access: .readWrite)
            let events = try environment.table("events", .integer)
            var transaction = try environment.write()
            _ = try transaction.delete(events, 1)
            try transaction.commit()
        }
        expectDamage(at: 1) { _ = try sandbox.open() }
    }
}
