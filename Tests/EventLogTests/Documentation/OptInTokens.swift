import EventLog
import Testing

// example begins
/// A sign-up is confirmed with a one-time password, which works once, for one address, and for an hour.
enum SignUps {
    static let (initiated, confirmed) = (EventType(1), EventType(2))
    static let (address, password) = (TagKind(1), TagKind(2))
    static let schema = Schema(
        types: [initiated: "SignUpInitiated", confirmed: "SignUpConfirmed"], tagKinds: [address: "address", password: "password"])
    static let lifetimeMicroseconds: Int64 = 3_600_000_000

    enum Refusal: Error { case noPendingSignUp, passwordUsed, passwordExpired }

    /// An address is personal data, so `person` is a keyed hash of the address, which the application computes.
    static func initiate(_ person: UInt128, password text: String, name: String, at now: Timestamp, with writer: LogWriter) async throws {
        let tags = [Tag(address, person), Tag(password, text)]
        try await writer.append([NewEvent(type: initiated, time: now, tags: tags, payload: Array(name.utf8))])
    }

    static func confirm(_ person: UInt128, password text: String, at now: Timestamp, with writer: LogWriter) async throws {
        let tags = [Tag(address, person), Tag(password, text)]
        try await writer.decide(on: .items([QueryItem(tags: tags)])) { known in
            guard let pending = known.last(where: { $0.type == initiated }) else { throw Refusal.noPendingSignUp }
            if known.last?.type == confirmed { throw Refusal.passwordUsed }
            if now.microseconds - pending.time.microseconds > lifetimeMicroseconds { throw Refusal.passwordExpired }
            return [NewEvent(type: confirmed, time: now, tags: tags, payload: pending.payload)]
        }
    }
}
// example ends

/// Tests the fourth example of the documentation page `DCBExamples`.
@Suite(.timeLimit(.minutes(15))) struct OptInTokens {
    private let john: UInt128 = 0x1234
    private let jane: UInt128 = 0x5678

    private func minute(_ number: Int64) -> Timestamp { Timestamp(microseconds: number * 60_000_000) }

    @Test("The example is the one that the page shows") func page() throws { try expectShown("DCBExamples", block: 3) }

    @Test("A password confirms one sign-up, once, and for an hour") func confirmation() async throws {
        try await temporary(SignUps.schema) { log, writer in
            try await SignUps.initiate(john, password: "111111", name: "John", at: minute(0), with: writer)
            try await SignUps.initiate(john, password: "222222", name: "John", at: minute(0), with: writer)
            for (person, password) in [(john, "000000"), (jane, "111111")] {
                await #expect(throws: SignUps.Refusal.noPendingSignUp) {
                    try await SignUps.confirm(person, password: password, at: minute(1), with: writer)
                }
            }
            try await SignUps.confirm(john, password: "111111", at: minute(60), with: writer)
            #expect(try log.event(at: Position(3))?.payload == Array("John".utf8))
            await #expect(throws: SignUps.Refusal.passwordUsed) {
                try await SignUps.confirm(john, password: "111111", at: minute(60), with: writer)
            }
            await #expect(throws: SignUps.Refusal.passwordExpired) {
                try await SignUps.confirm(john, password: "222222", at: minute(61), with: writer)
            }
        }
    }
}
