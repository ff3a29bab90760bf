import HTTPTypes
import Testing

@Suite("List of own sessions", .timeLimit(.minutes(15)))
struct MySessionTests {
    private let phone = "+8613800138009"

    private func items(_ visitor: Visitor, agent: String = "") async throws -> [[String: String]] {
        let reply = try await visitor.get("/v1/me/sessions", headers: [.userAgent: agent])
        #expect(reply.status == 200 && reply.headers[.cacheControl] == "no-store")
        return try #require(reply.json["items"]?.items).map { item in
            #expect(item.names == ["id", "startedAt", "lastSeenAt", "device", "isCurrent"])
            let isCurrent = item["isCurrent"] == .bool(true)
            return [
                "id": item["id"]?.string ?? "", "startedAt": item["startedAt"]?.string ?? "",
                "lastSeenAt": item["lastSeenAt"]?.string ?? "", "device": item["device"]?.string ?? "-", "isCurrent": "\(isCurrent)",
            ]
        }
    }

    @Test("Sessions are listed newest first, with the time and device of last use and a mark for the current one")
    func list() async throws {
        try await onStage { stage, visitor in
            let old = try await visitor.signedIn(phone)
            stage.clock.advance(seconds: 3_600)
            let new = try await visitor.signedIn(phone)
            _ = try await visitor.signedIn("+8613800138010")
            stage.clock.advance(seconds: 60)
            let found = try await items(new, agent: "Tea/1.0 (phone)")
            #expect(found.map { $0["startedAt"] } == ["2026-11-21T10:00:00.000Z", "2026-11-21T09:00:00.000Z"])
            #expect(found.map { $0["isCurrent"] } == ["true", "false"])
            #expect(found[0]["device"] == "Tea/1.0 (phone)" && found[0]["lastSeenAt"] == "2026-11-21T10:01:00.000Z")
            #expect(found[1]["device"] == "-" && found[1]["lastSeenAt"] == "2026-11-21T09:00:00.000Z")
            let refresh = #"{"refreshToken":"\#(try #require(old.refreshToken))"}"#
            _ = try await visitor.post(
                "/v1/sessions/refresh", refresh, headers: [.userAgent: "\u{E9}" + String(repeating: "x", count: 300)])
            let later = try await items(new)
            #expect(later[1]["lastSeenAt"] == "2026-11-21T10:01:00.000Z")
            #expect(later[1]["device"] == String(repeating: "x", count: 200), "the device's name is cut")
        }
    }

    @Test("A session can be ended by its ID, and its tokens stop working at once")
    func end() async throws {
        try await onStage { stage, visitor in
            let (here, there) = (try await visitor.signedIn(phone), try await visitor.signedIn(phone))
            #expect(try await there.get("/v1/me").status == 200)
            let other = try #require(try await items(here).first { $0["isCurrent"] == "false" }?["id"])
            let stranger = try await visitor.signedIn("+8613800138010")
            let head = stage.head
            try await stranger.delete("/v1/me/sessions/\(other)").expectProblem("notFound", 404)
            try await here.delete("/v1/me/sessions/ses_00000000000000000000000000").expectProblem("notFound", 404)
            try await here.delete("/v1/me/sessions/\(here.account)").expectProblem("notFound", 404)
            #expect(stage.head == head)
            #expect(try await here.delete("/v1/me/sessions/\(other)", key: "k").status == 204)
            #expect(try await here.delete("/v1/me/sessions/\(other)", key: "k").status == 204)
            try await there.get("/v1/me").expectProblem("unauthenticated", 401)
            let token = try #require(there.refreshToken)
            try await visitor.post("/v1/sessions/refresh", #"{"refreshToken":"\#(token)"}"#).expectProblem("unauthenticated", 401)
            #expect(try await items(here).count == 1)
            #expect(try await stranger.get("/v1/me").status == 200)
        }
    }

    @Test("A key that signed one session out does not answer for another session")
    func signOutTwice() async throws {
        try await onStage { _, visitor in
            let (first, second) = (try await visitor.signedIn(phone), try await visitor.signedIn(phone))
            #expect(try await first.delete("/v1/sessions/current", key: "leave").status == 204)
            try await second.delete("/v1/sessions/current", key: "leave").expectProblem("idempotencyKeyReused", 422)
            #expect(try await second.delete("/v1/sessions/current", key: "leave-again").status == 204)
            try await second.get("/v1/me").expectProblem("unauthenticated", 401)
        }
    }

    @Test("An account has at most twenty sessions, and the next sign-in at once ends the one that was unused for the longest time")
    func cap() async throws {
        try await onStage { stage, visitor in
            let first = try await visitor.signedIn(phone)
            stage.clock.advance(seconds: 1)
            #expect(try await first.get("/v1/me").status == 200)
            for _ in 0..<19 { _ = try await visitor.signedIn(phone) }
            #expect(try await first.get("/v1/me").status == 200)
            let last = try await visitor.signedIn(phone)
            try await first.get("/v1/me").expectProblem("unauthenticated", 401)
            #expect(try await items(last).count == 20)
        }
    }
}
