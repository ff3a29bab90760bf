import CommandService
import Foundation
import HTTPTypes
import LoyaltyCodec
import Synchronization
import Testing
import TextMessages

@testable import Composition
@testable import HTTPAPI

@Suite("Changing a phone number", .timeLimit(.minutes(15)))
struct PhoneTests {
    private static let (old, new) = ("+8613800138002", "+8613800138222")

    private func code(for phone: String, _ visitor: Visitor) async throws -> String {
        try await visitor.post("/v1/verifications", #"{"phone":"\#(phone)"}"#).string("devCode")
    }

    private func change(
        _ visitor: Visitor, to phone: String = new, code: String, current: String? = nil, key: String? = nil
    ) async throws -> Reply {
        let proof = current.map { #","currentCode":"\#($0)""# } ?? ""
        return try await visitor.put("/v1/me/phone", #"{"phone":"\#(phone)","code":"\#(code)"\#(proof)}"#, key: key)
    }

    @Test("The account has the new number, other sessions end, and the old number registers anew")
    func changes() async throws {
        try await onStage { _, visitor in
            let elsewhere = try await visitor.signedIn(Self.old)
            let customer = try await visitor.signedIn(Self.old)
            let reply = try await change(customer, code: try await code(for: Self.new, visitor), key: "change")
            #expect(reply.status == 200, "\(reply.text)")
            #expect(try reply.string("phone") == Self.new && reply.string("id") == customer.account)
            #expect(reply.headers[.eTag] != nil && reply.headers[HTTPField.Name("GreenTea-Position")!] != nil)
            #expect(try await customer.get("/v1/me").string("phone") == Self.new)
            try await elsewhere.get("/v1/me").expectProblem("unauthenticated", 401)
            #expect(try await visitor.signedIn(Self.new).account == customer.account)
            #expect(try await visitor.signedIn(Self.old).account != customer.account)
            // A retry with the same key gets the same answer even without a valid code. The same key with another number is an error.
            #expect(try await change(customer, code: "000000", key: "change").body == reply.body)
            try await change(customer, to: "+8613800138333", code: "000000", key: "change").expectProblem("idempotencyKeyReused", 422)
        }
    }

    @Test("Retries that arrive while the first request runs get its answer, although its code can be used only once")
    func retriedAtOnce() async throws {
        try await onStage { stage, visitor in
            let customer = try await visitor.signedIn(Self.old)
            let code = try await code(for: Self.new, visitor)
            let head = stage.head
            let replies: [Reply] = try await withThrowingTaskGroup(of: Reply.self) { group in
                for _ in 0..<32 { group.addTask { try await change(customer, code: code, key: "change") } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for reply in replies { #expect(reply.status == 200 && reply.body == replies[0].body, "\(reply.text)") }
            #expect(stage.head == head + 1)
        }
    }

    @Test("A number of another account is refused like a wrong code")
    func taken() async throws {
        try await onStage { stage, visitor in
            let customer = try await visitor.signedIn(Self.old)
            _ = try await visitor.signedIn(Self.new)
            let right = try await code(for: Self.new, visitor)
            let head = stage.head
            let taken = try await change(customer, code: right)
            let wrong = try await change(customer, code: right)
            try taken.expectProblem("verificationNotValid", 422)
            try wrong.expectProblem("verificationNotValid", 422)
            #expect(try taken.json["detail"] == wrong.json["detail"])
            #expect(stage.head == head)
        }
    }

    @Test("Ten minutes after its beginning a session needs a code of the present number")
    func currentCode() async throws {
        try await onStage { stage, visitor in
            let customer = try await visitor.signedIn(Self.old)
            stage.clock.advance(seconds: 600)
            let next = try await code(for: Self.new, visitor)
            try await change(customer, code: next).expectInvalid("/currentCode")
            let present = try await code(for: Self.old, visitor)
            try await change(customer, code: next, current: present == "000000" ? "1" : "000000").expectProblem("verificationNotValid", 422)
            #expect(try await change(customer, code: next, current: present).status == 200)
            // In this session, the customer proved to hold the previous number, but not the present one.
            try await change(customer, to: "+8613800138333", code: "000000").expectInvalid("/currentCode")
        }
    }

    @Test("If the new number's code is wrong, the right code of the present number is not used up")
    func oneWrongCode() async throws {
        try await onStage { stage, visitor in
            let customer = try await visitor.signedIn(Self.old)
            stage.clock.advance(seconds: 600)
            let (next, present) = (try await code(for: Self.new, visitor), try await code(for: Self.old, visitor))
            let wrong = next == "000000" ? "1" : "000000"
            try await change(customer, code: wrong, current: present).expectProblem("verificationNotValid", 422)
            #expect(try await change(customer, code: next, current: present).status == 200)
        }
    }

    @Test("A code is not used up by a request that is refused because another request is changing the number")
    func overloaded() async throws {
        try await onStage { stage, visitor in
            let customer = try await visitor.signedIn(Self.old)
            let stranger = "+8613800138333"
            let (next, first) = (try await code(for: Self.new, visitor), try await code(for: stranger, visitor))
            let signIn = #"{"phone":"\#(stranger)","code":"\#(first)"}"#
            let names = Set([Self.new, stranger].map { stage.service.keys.phoneName(of: $0) })
            #expect(stage.service.numberLocks.hold(names))
            try await change(customer, code: next).expectProblem("overloaded", 503)
            try await visitor.post("/v1/sessions", signIn).expectProblem("overloaded", 503)
            stage.service.numberLocks.release(names)
            #expect(try await change(customer, code: next).status == 200)
            #expect(try await visitor.post("/v1/sessions", signIn).status == 201)
            try await visitor.post("/v1/sessions", signIn).expectProblem("verificationNotValid", 422)
        }
    }

    @Test("Malformed input is refused, and ten failures a day are enough")
    func malformed() async throws {
        try await onStage { _, visitor in
            let customer = try await visitor.signedIn(Self.old)
            for phone in ["", "13800138002", "+", "+0123456789", String(repeating: "1", count: 70)] {
                try await change(customer, to: phone, code: "123456").expectInvalid("/phone")
            }
            try await customer.put("/v1/me/phone", #"{"phone":"\#(Self.new)"}"#).expectInvalid("/code")
            try await customer.put("/v1/me/phone", #"{"phone":7,"code":"123456"}"#).expectInvalid("/phone")
            for _ in 0..<10 { try await change(customer, code: "x").expectProblem("verificationNotValid", 422) }
            try await change(customer, code: "x").expectProblem("rateLimited", 429)
        }
    }

    @Test("After ten failures no code is checked, not even under a key that another request has used")
    func usedKey() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let favorite = "/v1/campaigns/\(cast.campaign)/favorite"
            for key in ["first", "idle"] { #expect(try await cast.customer.send(.put, favorite, key: key).status < 300) }
            for _ in 0..<10 { try await change(cast.customer, code: "x").expectProblem("verificationNotValid", 422) }
            let right = try await code(for: Self.new, visitor)
            for key in ["first", "idle"] {
                for code in ["000000", right] {
                    try await change(cast.customer, code: code, key: key).expectProblem("idempotencyKeyReused", 422)
                }
            }
            // The refused requests did not use up the right code.
            #expect(try await visitor.post("/v1/sessions", #"{"phone":"\#(Self.new)","code":"\#(right)"}"#).status == 201)
        }
    }

    @Test("An operator who changes the number is an operator no more, and whoever then verifies the old number is one")
    func operators() async throws {
        try await onStage { _, visitor in
            let officer = try await visitor.signedIn(Stage.operatorPhone)
            #expect(try await officer.get("/v1/me").json["isOperator"] == .bool(true))
            #expect(try await change(officer, code: try await code(for: Self.new, visitor)).status == 200)
            #expect(try await officer.get("/v1/me").json["isOperator"] == .bool(false))
            try await officer.get("/v1/admin/audit").expectProblem("forbidden", 403)
            #expect(try await visitor.signedIn(Stage.operatorPhone).get("/v1/me").json["isOperator"] == .bool(true))
        }
    }

    @Test("When a lost number is replaced, it gets a message, the account shows the change, and the new one signs in after 72 hours")
    func lost() async throws {
        let outbox = Outbox()
        try await onStage(try Stage(messages: outbox)) { stage, visitor in
            let customer = try await visitor.signedIn(Self.old)
            let officer = try await visitor.signedIn(Stage.operatorPhone)
            let (path, body) = ("/v1/admin/accounts/\(customer.account)/phone", #"{"phone":"\#(Self.new)","reason":"Stolen"}"#)
            let asked = try await officer.put(path, body, key: "lost")
            #expect(asked.status == 200, "\(asked.text)")
            #expect(try asked.string("phone") == "+861*******222" && asked.string("holdsAt") == "2026-11-24T09:00:00.000Z")
            #expect(try await officer.put(path, body, key: "lost").body == asked.body)
            let told = outbox.messages.filter { $0.text.contains("+861*******222") }
            #expect(told.map(\.phone) == [Self.old])
            let shown = try await customer.get("/v1/me")
            #expect(try shown.string("phone") == Self.old && shown.string("phoneChange", "phone") == "+861*******222")
            let sent = try await code(for: Self.new, visitor)
            try await visitor.post("/v1/sessions", #"{"phone":"\#(Self.new)","code":"\#(sent)"}"#)
                .expectProblem("verificationNotValid", 422)
            stage.clock.advance(seconds: 72 * 3_600)
            #expect(try await visitor.signedIn(Self.new).account == customer.account)
            #expect(try await visitor.signedIn(Self.old).account != customer.account)
        }
    }

    @Test("A token of the lost phone stops working once the new number has signed in")
    func lostToken() async throws {
        try await onStage { stage, visitor in
            var lost = try await visitor.signedIn(Self.old)
            let officer = try await visitor.signedIn(Stage.operatorPhone)
            let path = "/v1/admin/accounts/\(lost.account)/phone"
            #expect(try await officer.put(path, #"{"phone":"\#(Self.new)","reason":"Stolen"}"#).status == 200)
            // The access token is renewed a minute before the old number expires, so the token would be valid for longer than the number.
            // The request for `/v1/me` makes the server cache the token.
            stage.clock.advance(seconds: 72 * 3_600 - 60)
            let renewed = try await visitor.post("/v1/sessions/refresh", #"{"refreshToken":"\#(try #require(lost.refreshToken))"}"#)
            lost.token = try renewed.string("accessToken")
            #expect(try await lost.get("/v1/me").status == 200)
            stage.clock.advance(seconds: 60)
            #expect(try await visitor.signedIn(Self.new).account == lost.account)
            try await lost.get("/v1/me").expectProblem("unauthenticated", 401)
        }
    }

    @Test("A session that the lost number began within 72 hours cannot change the number afterwards, and ends with the attempt")
    func lostAndFresh() async throws {
        try await onStage { stage, visitor in
            let customer = try await visitor.signedIn(Self.old)
            let officer = try await visitor.signedIn(Stage.operatorPhone)
            let path = "/v1/admin/accounts/\(customer.account)/phone"
            #expect(try await officer.put(path, #"{"phone":"\#(Self.new)","reason":"Stolen"}"#).status == 200)
            stage.clock.advance(seconds: 72 * 3_600 - 60)
            let lost = try await visitor.signedIn(Self.old)
            #expect(lost.account == customer.account)
            stage.clock.advance(seconds: 60)
            let third = "+8613800138333"
            try await change(lost, to: third, code: try await code(for: third, visitor)).expectProblem("unauthenticated", 401)
            try await lost.get("/v1/me").expectProblem("unauthenticated", 401)
            #expect(try await visitor.signedIn(Self.new).account == customer.account)
            #expect(try await visitor.signedIn(third).account != customer.account)
        }
    }

    @Test("Tokens of all sessions stop working once one of them is refreshed after a new number holds")
    func lostTokenAtRefresh() async throws {
        try await onStage { stage, visitor in
            var lost = try await visitor.signedIn(Self.old)
            let other = try await visitor.signedIn(Self.old)
            let officer = try await visitor.signedIn(Stage.operatorPhone)
            let path = "/v1/admin/accounts/\(lost.account)/phone"
            #expect(try await officer.put(path, #"{"phone":"\#(Self.new)","reason":"Stolen"}"#).status == 200)
            stage.clock.advance(seconds: 72 * 3_600 - 60)
            let renewed = try await visitor.post("/v1/sessions/refresh", #"{"refreshToken":"\#(try #require(lost.refreshToken))"}"#)
            lost.token = try renewed.string("accessToken")
            #expect(try await lost.get("/v1/me").status == 200)
            stage.clock.advance(seconds: 60)
            try await visitor.post("/v1/sessions/refresh", #"{"refreshToken":"\#(try #require(other.refreshToken))"}"#)
                .expectProblem("unauthenticated", 401)
            try await lost.get("/v1/me").expectProblem("unauthenticated", 401)
        }
    }

    @Test("A retry gets the first answer, also after another number came into force")
    func retriedLater() async throws {
        try await onStage { stage, visitor in
            let customer = try await visitor.signedIn(Self.old)
            let officer = try await visitor.signedIn(Stage.operatorPhone)
            let (path, body) = ("/v1/admin/accounts/\(customer.account)/phone", #"{"phone":"\#(Self.new)","reason":"Stolen"}"#)
            let asked = try await officer.put(path, body, key: "lost")
            #expect(asked.status == 200)
            let edited = try await customer.patch("/v1/me", #"{"nickname":"Mei"}"#, key: "edit")
            #expect(try edited.string("phone") == Self.old)
            stage.clock.advance(seconds: 72 * 3_600)
            let later = try await visitor.signedIn(Self.new)
            #expect(later.account == customer.account)
            #expect(try await later.patch("/v1/me", #"{"nickname":"Mei"}"#, key: "edit").body == edited.body)
            let again = try await visitor.signedIn(Stage.operatorPhone)
            #expect(try await again.put(path, body, key: "lost").body == asked.body)
        }
    }

    @Test("An operator's retry gets the first answer, also after somebody else registered the number")
    func retriedAfterObjection() async throws {
        try await onStage { _, visitor in
            let customer = try await visitor.signedIn(Self.old)
            let officer = try await visitor.signedIn(Stage.operatorPhone)
            let (path, body) = ("/v1/admin/accounts/\(customer.account)/phone", #"{"phone":"\#(Self.new)","reason":"Stolen"}"#)
            let asked = try await officer.put(path, body, key: "lost")
            #expect(try await customer.delete("/v1/me/phone/change").status == 204)
            #expect(try await visitor.signedIn(Self.new).account != customer.account)
            #expect(try await officer.put(path, body, key: "lost").body == asked.body)
        }
    }

    @Test("An operator's retry gets the first answer, also after the account was erased")
    func retriedAfterErasure() async throws {
        try await onStage { stage, visitor in
            let customer = try await visitor.signedIn(Self.old)
            let officer = try await visitor.signedIn(Stage.operatorPhone)
            let (path, body) = ("/v1/admin/accounts/\(customer.account)/phone", #"{"phone":"\#(Self.new)","reason":"Stolen"}"#)
            let asked = try await officer.put(path, body, key: "lost")
            #expect(asked.status == 200, "\(asked.text)")
            #expect(try await customer.delete("/v1/me").status == 204)
            let head = stage.head
            let again = try await officer.put(path, body, key: "lost")
            #expect(again.status == 200 && again.body == asked.body && again.position == asked.position, "\(again.text)")
            let other = #"{"phone":"\#(Self.new)","reason":"Lost"}"#
            try await officer.put(path, other, key: "lost").expectProblem("idempotencyKeyReused", 422)
            try await officer.put(path, body, key: "later").expectProblem("notFound", 404)
            #expect(stage.head == head)
        }
    }

    @Test("A number that an operator requested gets no stamps at the counter before the change takes effect")
    func stampedBeforeItHolds() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let officer = try await visitor.signedIn(Stage.operatorPhone)
            let path = "/v1/admin/accounts/\(cast.customer.account)/phone"
            #expect(try await officer.put(path, #"{"phone":"\#(Self.new)","reason":"Lost"}"#).status == 200)
            let (stamps, body) = ("/v1/campaigns/\(cast.campaign)/stamps", #"{"phone":"\#(Self.new)"}"#)
            let head = stage.head
            try await cast.owner.post(stamps, body, key: "early").expectProblem("rateLimited", 429)
            #expect(stage.head == head)
            stage.clock.advance(seconds: 72 * 3_600)
            let owner = try await visitor.signedIn("+8613800138001")
            #expect(try await owner.post(stamps, body, key: "later").status == 201)
            let customer = try await visitor.signedIn(Self.new)
            #expect(try await customer.get("/v1/me/cards").json["items"]?.items?.map { $0["stamps"]?.int } == [1])
        }
    }

    @Test("The holder objects within 72 hours, once; a number in use is refused to the operator")
    func objection() async throws {
        try await onStage { _, visitor in
            let customer = try await visitor.signedIn(Self.old)
            let officer = try await visitor.signedIn(Stage.operatorPhone)
            let path = "/v1/admin/accounts/\(customer.account)/phone"
            try await customer.delete("/v1/me/phone/change").expectProblem("notFound", 404)
            for phone in [Self.old, Stage.operatorPhone, "13800138002"] {
                try await officer.put(path, #"{"phone":"\#(phone)","reason":"Lost"}"#).expectInvalid("/phone")
            }
            try await officer.put(path, #"{"phone":"\#(Self.new)","reason":""}"#).expectInvalid("/reason")
            #expect(try await officer.put(path, #"{"phone":"\#(Self.new)","reason":"Lost"}"#).status == 200)
            #expect(try await customer.delete("/v1/me/phone/change").status == 204)
            #expect(try await customer.get("/v1/me").json["phoneChange"] == nil)
            try await customer.delete("/v1/me/phone/change").expectProblem("notFound", 404)
            #expect(try await visitor.signedIn(Self.new).account != customer.account)
            let nobody = "/v1/admin/accounts/acct_00000000000000000000000000/phone"
            try await officer.put(nobody, #"{"phone":"+8613800138777","reason":"Lost"}"#).expectProblem("notFound", 404)
        }
    }

    @Test("Where no message can be sent to the present number, nothing is recorded")
    func untold() async throws {
        let outbox = Outbox()
        try await onStage(try Stage(messages: outbox)) { stage, visitor in
            let customer = try await visitor.signedIn(Self.old)
            let officer = try await visitor.signedIn(Stage.operatorPhone)
            outbox.fails.withLock { $0 = true }
            let head = stage.head
            let body = #"{"phone":"\#(Self.new)","reason":"Stolen"}"#
            try await officer.put("/v1/admin/accounts/\(customer.account)/phone", body).expectProblem("overloaded", 503)
            #expect(stage.head == head)
        }
    }

    @Test("A masked number never shows more than half", arguments: [("+8613800138222", "+861*******222"), ("+1234", "+*****")])
    func masked(_ number: String, _ text: String) {
        let masked = ComingPhoneAnswer.masked(number)
        #expect(masked.count == number.count && masked.filter { $0 == "*" }.count >= number.count / 2)
        if number.count > 6 { #expect(masked == text) }
    }

    /// A sender of text messages that stores them, or fails if the test demands it.
    final class Outbox: TextMessageSender {
        struct Failure: Error {}

        private let kept = Mutex<[TextMessage]>([])
        let fails = Mutex(false)
        var messages: [TextMessage] { kept.withLock { $0 } }

        func send(_ message: TextMessage) async throws {
            if fails.withLock({ $0 }) { throw Failure() }
            kept.withLock { $0.append(message) }
        }

        func close() async throws {}
    }
}
