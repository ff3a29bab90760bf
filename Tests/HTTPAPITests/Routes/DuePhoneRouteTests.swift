import Composition
import Loyalty
import LoyaltyCodec
import Testing

/// Access tokens of a lost phone, around the time at which the number that an operator requested comes into force.
@Suite("Tokens of a lost phone", .timeLimit(.minutes(15)))
struct DuePhoneRouteTests {
    private static let (old, new) = ("+8613800138002", "+8613800138222")

    /// Requests the new number for the account of the old one, and lets time pass until a minute before the new number is in force.
    ///
    /// - Parameter objects: whether the account's holder objects to the request.
    /// - Returns: two sessions of the old number that began in that minute.
    private static func lost(on stage: Stage, _ visitor: Visitor, objects: Bool = false) async throws -> (Visitor, Visitor) {
        let customer = try await visitor.signedIn(old)
        let officer = try await visitor.signedIn(Stage.operatorPhone)
        let body = #"{"phone":"\#(new)","reason":"Stolen"}"#
        #expect(try await officer.put("/v1/admin/accounts/\(customer.account)/phone", body).status == 200)
        if objects { #expect(try await customer.delete("/v1/me/phone/change").status == 204) }
        stage.clock.advance(seconds: 72 * 3_600 - 60)
        let phones = (try await visitor.signedIn(old), try await visitor.signedIn(old))
        for phone in [phones.0, phones.1] { #expect(try await phone.get("/v1/me").string("phone") == old) }
        return phones
    }

    @Test(
        "A token made before the requested number came into force is refused from that moment, whatever it is used for",
        arguments: ["/v1/me", "/v1/me/export", "/v1/me/sessions", "/v1/me/cards", "/v1/me/events", "PATCH"])
    func refused(_ path: String) async throws {
        try await onStage { stage, visitor in
            let (lost, other) = try await Self.lost(on: stage, visitor)
            stage.clock.advance(seconds: 60)
            let reply = try await path == "PATCH" ? lost.patch("/v1/me", #"{"nickname":"Mei"}"#) : lost.get(path)
            try reply.expectProblem("unauthenticated", 401)
            let head = stage.head
            for phone in [other, lost] { try await phone.get("/v1/me").expectProblem("unauthenticated", 401) }
            #expect(stage.head == head)
            let found = try await visitor.signedIn(Self.new)
            #expect(found.account == lost.account)
            #expect(try await found.get("/v1/me").string("phone") == Self.new)
        }
    }

    @Test("A token that is in use stays refused if its request was not the one that recorded the change")
    func recordedElsewhere() async throws {
        try await onStage { stage, visitor in
            let (lost, other) = try await Self.lost(on: stage, visitor)
            stage.clock.advance(seconds: 60)
            let account = try #require(AccountID(text: lost.account))
            let change = try await stage.service.completeDuePhone(of: account, rememberedFor: 600)
            #expect(change != nil)
            for _ in 0..<3 {
                for phone in [lost, other] { try await phone.get("/v1/me").expectProblem("unauthenticated", 401) }
            }
        }
    }

    @Test("While the clock is ahead, the account shows its number and the requested one, and its holder can object")
    func clockAhead() async throws {
        try await onStage { stage, visitor in
            let (lost, _) = try await Self.lost(on: stage, visitor)
            stage.clock.set(bySeconds: 4 * 86_400)
            let phone = try await visitor.signedIn(Self.old)
            #expect(phone.account == lost.account)
            let edited = try await phone.patch("/v1/me", #"{"nickname":"Mei"}"#)
            for reply in [edited, try await phone.get("/v1/me")] {
                #expect(try reply.string("phone") == Self.old && reply.string("phoneChange", "phone") == "+861*******222")
            }
            #expect(try await phone.delete("/v1/me/phone/change").status == 204)
            #expect(try await phone.get("/v1/me").json["phoneChange"] == nil)
        }
    }

    @Test("After an objection, the number's tokens work on when the requested number would have come into force")
    func objected() async throws {
        try await onStage { stage, visitor in
            let (phone, _) = try await Self.lost(on: stage, visitor, objects: true)
            stage.clock.advance(seconds: 60)
            let head = stage.head
            for _ in 0..<2 { #expect(try await phone.get("/v1/me").string("phone") == Self.old) }
            #expect(stage.head == head)
        }
    }
}
