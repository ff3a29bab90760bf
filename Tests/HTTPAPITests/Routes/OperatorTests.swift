import Audit
import EventLog
import HTTPTypes
import Testing

@testable import HTTPAPI

@Suite("Operators and accounts", .timeLimit(.minutes(15)))
struct OperatorTests {
    private static let reason = #"{"reason":"Sells codes"}"#

    @Test("A search finds the account of a number, and an event records who searched")
    func search() async throws {
        try await onStage { stage, visitor in
            let customer = try await visitor.signedIn("+8613800138002")
            let officer = try await visitor.signedIn(Stage.operatorPhone)
            let head = stage.head
            let found = try await officer.post("/v1/admin/accounts/search", #"{"phone":"+8613800138002"}"#)
            #expect(found.status == 200, "\(found.text)")
            let item = try #require(try found.json["items"]?[0])
            #expect(item["id"]?.string == customer.account && item["isSuspended"] == .bool(false))
            #expect(item["registeredAt"]?.string == "2026-11-21T09:00:00.000Z")
            let nobody = try await officer.post("/v1/admin/accounts/search", #"{"phone":"+8613800138999"}"#)
            #expect(try nobody.json["items"]?.items?.isEmpty == true)
            #expect(stage.head == head + 2)
            let events = try await officer.get("/v1/admin/events?type=AccountSearched")
            #expect(try events.json["items"]?.items?.count == 2)
            #expect(!events.text.contains("+86"))
            // The account's own export contains the searches by operators, but not the operators' ids.
            let export = try await customer.get("/v1/me/export")
            #expect(export.text.contains("AccountSearched") && !export.text.contains(officer.account))
            try await officer.post("/v1/admin/accounts/search", #"{"phone":"x"}"#).expectInvalid("/phone")
            for _ in 0..<58 { _ = try await officer.post("/v1/admin/accounts/search", #"{"phone":"+8613800138999"}"#) }
            try await officer.post("/v1/admin/accounts/search", #"{"phone":"+8613800138999"}"#).expectProblem("rateLimited", 429)
        }
    }

    @Test("A suspended account's sessions end, and it neither signs in nor acts until it is reinstated")
    func suspension() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let officer = try await visitor.signedIn(Stage.operatorPhone)
            let path = "/v1/admin/accounts/\(cast.customer.account)/suspension"
            let suspended = try await officer.put(path, Self.reason, key: "suspend")
            #expect(suspended.status == 204, "\(suspended.text)")
            let head = stage.head
            #expect(try await officer.put(path, Self.reason, key: "suspend").status == 204)
            #expect(try await officer.put(path, Self.reason, key: "again").status == 204)
            #expect(stage.head == head)
            let refused = try await cast.customer.get("/v1/me")
            try refused.expectProblem("suspended", 403)
            #expect(try refused.string("title") == "Account suspended")
            let phone = "+8613800138002"
            let code = try await visitor.post("/v1/verifications", #"{"phone":"\#(phone)"}"#).string("devCode")
            try await visitor.post("/v1/sessions", #"{"phone":"\#(phone)","code":"\#(code)"}"#).expectProblem("suspended", 403)
            let events = try await officer.get("/v1/admin/events?type=AccountSuspended")
            #expect(!events.text.contains("Sells codes"))
            #expect(try await officer.delete(path, key: "reinstate").status == 204)
            #expect(try await visitor.signedIn(phone).account == cast.customer.account)
        }
    }

    @Test("A retry of a suspension gets the first answer, also after the account was reinstated and erased")
    func retriedAfterErasure() async throws {
        try await onStage { stage, visitor in
            let phone = "+8613800138002"
            let account = try await visitor.signedIn(phone).account
            let officer = try await visitor.signedIn(Stage.operatorPhone)
            let path = "/v1/admin/accounts/\(account)/suspension"
            let suspended = try await officer.put(path, Self.reason, key: "suspend")
            let reinstated = try await officer.delete(path, key: "reinstate")
            #expect(suspended.status == 204 && reinstated.status == 204)
            #expect(try await visitor.signedIn(phone).delete("/v1/me").status == 204)
            let head = stage.head
            let again = try await officer.put(path, Self.reason, key: "suspend")
            #expect(again.status == 204 && again.position == suspended.position, "\(again.text)")
            let reinstatedAgain = try await officer.delete(path, key: "reinstate")
            #expect(reinstatedAgain.status == 204 && reinstatedAgain.position == reinstated.position, "\(reinstatedAgain.text)")
            try await officer.put(path, #"{"reason":"Sells stamps"}"#, key: "suspend").expectProblem("idempotencyKeyReused", 422)
            try await officer.put(path, Self.reason, key: "later").expectProblem("notFound", 404)
            #expect(stage.head == head)
        }
    }

    @Test("An operator is not suspended, nobody is suspended without a reason, and an unknown account is not found")
    func limits() async throws {
        try await onStage { stage, visitor in
            let customer = try await visitor.signedIn("+8613800138002")
            let officer = try await visitor.signedIn(Stage.operatorPhone)
            let head = stage.head
            try await officer.put("/v1/admin/accounts/\(officer.account)/suspension", Self.reason).expectProblem("forbidden", 403)
            let path = "/v1/admin/accounts/\(customer.account)/suspension"
            try await officer.put(path, #"{"reason":""}"#).expectInvalid("/reason")
            try await officer.put(path, #"{"reason":"\#(String(repeating: "x", count: 501))"}"#).expectInvalid("/reason")
            try await officer.put(path, "{}").expectInvalid("/reason")
            for id in ["acct_00000000000000000000000000", "shop_00000000000000000000000000", "x"] {
                try await officer.put("/v1/admin/accounts/\(id)/suspension", Self.reason).expectProblem("notFound", 404)
            }
            try await customer.put(path, Self.reason).expectProblem("forbidden", 403)
            #expect(stage.head == head)
        }
    }

    @Test("The auditor's state is shown model by model; without an auditor there is none")
    func audit() async throws {
        let status = AuditStatus(
            [AuditedModel(name: "cards", position: Position(7)), AuditedModel(name: "ratings", failure: "x")], runs: 3)
        try await onStage(try Stage(audit: { status })) { _, visitor in
            let officer = try await visitor.signedIn(Stage.operatorPhone)
            let reply = try await officer.get("/v1/admin/audit")
            #expect(reply.status == 200 && reply.headers[.cacheControl] == "no-store")
            #expect(try reply.int("runs") == 3)
            #expect(try reply.json["models"]?.items?.map { $0["state"]?.string } == ["equal", "failed"])
        }
        try await onStage { _, visitor in
            let officer = try await visitor.signedIn(Stage.operatorPhone)
            #expect(try await officer.get("/v1/admin/audit").json["isRunning"] == .bool(false))
        }
    }
}
