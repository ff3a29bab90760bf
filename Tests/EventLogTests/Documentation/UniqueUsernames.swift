import EventLog
import Testing

// example begins
/// No two accounts have one name, and a name that was given up stays reserved for three days.
enum Accounts {
    static let (registered, closed, renamed) = (EventType(1), EventType(2), EventType(3))
    static let username = TagKind(1)
    static let schema = Schema(
        types: [registered: "AccountRegistered", closed: "AccountClosed", renamed: "UsernameChanged"], tagKinds: [username: "username"])
    static let retentionMicroseconds: Int64 = 3 * 86_400_000_000

    struct NameIsTaken: Error {}

    static func register(_ name: String, at now: Timestamp, with writer: LogWriter) async throws {
        try await writer.decide(on: .tags(Tag(username, name)), newest: 1) { known in
            try requireFree(name, known.last, at: now)
            return [NewEvent(type: registered, time: now, tags: [Tag(username, name)])]
        }
    }

    /// The event has both names as tags, so that decisions about either name see it. Its payload is the new name.
    static func rename(_ old: String, to new: String, at now: Timestamp, with writer: LogWriter) async throws {
        try await writer.decide(on: .tags(Tag(username, new)), newest: 1) { known in
            try requireFree(new, known.last, at: now)
            return [NewEvent(type: renamed, time: now, tags: [Tag(username, old), Tag(username, new)], payload: Array(new.utf8))]
        }
    }

    static func close(_ name: String, at now: Timestamp, with writer: LogWriter) async throws {
        try await writer.append([NewEvent(type: closed, time: now, tags: [Tag(username, name)])])
    }

    private static func requireFree(_ name: String, _ last: SequencedEvent?, at now: Timestamp) throws {
        guard let last else { return }
        let isHeld = last.type == registered || last.type == renamed && last.payload == Array(name.utf8)
        if isHeld || now.microseconds - last.time.microseconds < retentionMicroseconds { throw NameIsTaken() }
    }
}
// example ends

/// Tests the second example of the documentation page `DCBExamples`.
@Suite(.timeLimit(.minutes(15))) struct UniqueUsernames {
    private func day(_ number: Int64) -> Timestamp { Timestamp(microseconds: number * 86_400_000_000) }

    @Test("The example is the one that the page shows") func page() throws { try expectShown("DCBExamples", block: 1) }

    @Test("Of many tasks that register one name, one succeeds") func race() async throws {
        try await temporary(Accounts.schema) { log, writer in
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<20 { group.addTask { try? await Accounts.register("ada", at: day(0), with: writer) } }
            }
            #expect(log.head == Position(1))
        }
    }

    @Test("A name is free three days after it was given up") func retention() async throws {
        try await temporary(Accounts.schema) { _, writer in
            try await Accounts.register("ada", at: day(0), with: writer)
            try await Accounts.rename("ada", to: "grace", at: day(10), with: writer)
            try await Accounts.register("joan", at: day(10), with: writer)
            try await Accounts.close("joan", at: day(10), with: writer)
            for name in ["ada", "grace", "joan"] {
                await #expect(throws: Accounts.NameIsTaken.self) { try await Accounts.register(name, at: day(12), with: writer) }
            }
            await #expect(throws: Accounts.NameIsTaken.self) { try await Accounts.register("grace", at: day(99), with: writer) }
            for name in ["ada", "joan"] { try await Accounts.register(name, at: day(13), with: writer) }
        }
    }
}
