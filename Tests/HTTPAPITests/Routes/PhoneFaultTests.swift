import CommandService
import Foundation
import LoyaltyCodec
import Testing
import TextMessages

@testable import Composition

/// Changes of phone numbers while something else fails or is in the way.
@Suite("Faults while a phone number changes", .timeLimit(.minutes(15)))
struct PhoneFaultTests {
    private static let (old, new) = ("+8613800138002", "+8613800138222")

    private func code(for phone: String, _ visitor: Visitor) async throws -> String {
        try await visitor.post("/v1/verifications", #"{"phone":"\#(phone)"}"#).string("devCode")
    }

    private func change(_ visitor: Visitor, to phone: String = new, code: String, key: String? = nil) async throws -> Reply {
        try await visitor.put("/v1/me/phone", #"{"phone":"\#(phone)","code":"\#(code)"}"#, key: key)
    }

    @Test("If the previous number cannot be released at once, the other sessions end nevertheless, and a retry gets the answer")
    func unreleased() async throws {
        try await onStage { stage, visitor in
            let elsewhere = try await visitor.signedIn(Self.old)
            let customer = try await visitor.signedIn(Self.old)
            #expect(try await elsewhere.get("/v1/me").status == 200)
            let right = try await code(for: Self.new, visitor)
            // The file can be written, but not replaced by a copy without the released number.
            let (file, away) = (stage.folder + "/keys/data.mdb", stage.folder + "/keys/away")
            try FileManager.default.moveItem(atPath: file, toPath: away)
            try await change(customer, code: right, key: "change").expectProblem("internal", 500)
            let head = stage.head
            let isGivenBack = try stage.service.verifications.spend([(right, try #require(E164Number(Self.new)))], from: .unknown)
            #expect(!isGivenBack, "the change is recorded, so its code is used up")
            try await elsewhere.get("/v1/me").expectProblem("unauthenticated", 401)
            #expect(try await customer.get("/v1/me").string("phone") == Self.new)
            // In this session, the customer proved to hold the previous number, but not the present one.
            try await change(customer, to: "+8613800138333", code: "000000").expectInvalid("/currentCode")
            try FileManager.default.moveItem(atPath: away, toPath: file)
            let again = try await change(customer, code: right, key: "change")
            #expect(try again.status == 200 && again.string("phone") == Self.new && stage.head == head)
        }
    }

    @Test("A request that is refused because another request is changing the number sends no message, and its repetition sends one")
    func toldOnce() async throws {
        let outbox = PhoneTests.Outbox()
        try await onStage(try Stage(messages: outbox)) { stage, visitor in
            let customer = try await visitor.signedIn(Self.old)
            let officer = try await visitor.signedIn(Stage.operatorPhone)
            let (path, body) = ("/v1/admin/accounts/\(customer.account)/phone", #"{"phone":"\#(Self.new)","reason":"Stolen"}"#)
            let names: Set = [stage.service.keys.phoneName(of: Self.new)]
            #expect(stage.service.numberLocks.hold(names))
            for _ in 0..<3 { try await officer.put(path, body, key: "lost").expectProblem("overloaded", 503) }
            #expect(!outbox.messages.contains { $0.text.contains("+861*******222") })
            stage.service.numberLocks.release(names)
            #expect(try await officer.put(path, body, key: "lost").status == 200)
            #expect(outbox.messages.count { $0.text.contains("+861*******222") } == 1)
        }
    }
}
