import HTTPTypes
import Testing

@Suite("Closing a shop, reopening a campaign", .timeLimit(.minutes(15)))
struct ClosingTests {
    @Test("A closed shop says when it closed; its campaigns are over and its open codes void")
    func close() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let code = try await cast.issue()
            let path = "/v1/shops/\(cast.shop)/closing"
            let closed = try await cast.owner.post(path, #"{"reason":"We move."}"#, key: "k")
            #expect(closed.status == 200, "\(closed.text)")
            #expect(try closed.string("closedAt") == "2026-11-21T09:00:00.000Z")
            #expect(try closed.string("redeemUntil") == "2026-12-21T09:00:00.000Z")
            #expect(try closed.json["campaigns"]?[0]?["running"] == .bool(false))
            #expect(!closed.text.contains("We move"))
            try await cast.stamp(code.code).expectProblem("codeNotValid", 422)
            #expect(try await cast.owner.get("/v1/codes/\(code.id)").string("status") == "destroyed")
            let head = stage.head
            #expect(try await cast.owner.post(path, #"{"reason":"We move."}"#, key: "k").body == closed.body)
            try await cast.owner.post(path).expectProblem("shopClosed", 409)
            try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", Cast.campaignBody()).expectProblem("shopClosed", 409)
            try await cast.owner.post("/v1/campaigns/\(cast.campaign)/reopening").expectProblem("shopClosed", 409)
            #expect(stage.head == head)
            #expect(try await visitor.get("/v1/shops").json["items"]?.items?.isEmpty == true)
        }
    }

    @Test("Bad dates and reasons close nothing")
    func malformed() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let path = "/v1/shops/\(cast.shop)/closing"
            let head = stage.head
            for (body, field) in [
                (#"{"redeemUntil":"2026-11-21T08:59:59Z"}"#, "/redeemUntil"), (#"{"redeemUntil":"2027-02-20T09:00:01Z"}"#, "/redeemUntil"),
                (#"{"redeemUntil":"2026-12-24"}"#, "/redeemUntil"), (#"{"redeemUntil":7}"#, "/redeemUntil"),
                (#"{"reason":""}"#, "/reason"), (#"{"reason":["x"]}"#, "/reason"),
                (#"{"reason":"\#(String(repeating: "长", count: 501))"}"#, "/reason"),
            ] {
                try await cast.owner.post(path, body).expectInvalid(field)
            }
            #expect(stage.head == head)
        }
    }

    @Test("Of 32 concurrent closings exactly one succeeds")
    func race() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let head = stage.head
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<32 { group.addTask { try await cast.owner.post("/v1/shops/\(cast.shop)/closing").status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 200 } == 1 && statuses.count { $0 == 409 } == 31)
            // The two events are the end of the campaign and the closing of the shop.
            #expect(stage.head == head + 2)
        }
    }

    @Test("A reopened campaign is found again by search, under the name that its shop has by then")
    func reopen() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let path = "/v1/campaigns/\(cast.campaign)"
            #expect(try await cast.owner.post(path + "/end").json["running"] == .bool(false))
            #expect(try await visitor.get("/v1/campaigns?q=jasmine").json["items"]?.items?.isEmpty == true)
            _ = try await cast.owner.patch("/v1/shops/\(cast.shop)", #"{"name":"Jasmine House"}"#, headers: [.ifMatch: "*"])
            let reopened = try await cast.owner.post(path + "/reopening", key: "k")
            #expect(try reopened.json["running"] == .bool(true))
            #expect(try await cast.owner.post(path + "/reopening", key: "k").body == reopened.body)
            #expect(try await cast.owner.post(path + "/reopening").status == 200)
            let found = try await visitor.get("/v1/campaigns?q=jasmine")
            #expect(try found.json["items"]?[0]?["id"]?.string == cast.campaign)
            #expect(try await cast.stamp(try await cast.issue().code).status == 201)
        }
    }
}
