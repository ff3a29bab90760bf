import HTTPTypes
import Testing

@Suite("Stamp caps", .timeLimit(.minutes(15)))
struct StampCapTests {
    private static func capped(_ visitor: Visitor, _ caps: String) async throws -> Cast {
        let cast = try await Cast(visitor, goal: 9)
        #expect(try await cast.owner.edit("/v1/campaigns/\(cast.campaign)", caps, seen: "*").status == 200)
        return cast
    }

    private static func customer(_ visitor: Visitor) async throws -> Visitor {
        try await visitor.signedIn("+8613800138002", name: "customer")
    }

    @Test("A stamp within the minimum gap is refused with the time to wait, and its code stays valid")
    func gap() async throws {
        try await onStage { stage, visitor in
            let cast = try await Self.capped(visitor, #"{"minimumGapSeconds":120}"#)
            #expect(try await cast.stamp(try await cast.issue().code).status == 201)
            let (code, head) = (try await cast.issue().code, stage.head + 1)
            for _ in 0..<12 {
                let refused = try await cast.stamp(code)
                try refused.expectProblem("rateLimited", 429)
                #expect(refused.headers[.retryAfter] == "120")
            }
            #expect(stage.head + 1 == head, "a code that is refused as too early adds no event")
            stage.clock.advance(seconds: 119)
            #expect(try await cast.stamp(code).headers[.retryAfter] == "1")
            stage.clock.advance(seconds: 1)
            #expect(try await cast.stamp(code).status == 201)
        }
    }

    @Test("Stamps per day are capped, and a wrong code is still reported as wrong")
    func perDay() async throws {
        try await onStage { stage, visitor in
            let cast = try await Self.capped(visitor, #"{"stampsPerDayMax":2}"#)
            try await cast.owner.post("/v1/campaigns/\(cast.campaign)/codes", #"{"stamps":3}"#).expectInvalid("/stamps")
            #expect(try await cast.stamp(try await cast.issue(stamps: 2).code).status == 201)
            let refused = try await cast.stamp(try await cast.issue().code)
            try refused.expectProblem("rateLimited", 429)
            #expect(refused.headers[.retryAfter] == "86400")
            try await cast.stamp("AAAA-AAAA").expectProblem("codeNotValid", 422)
            stage.clock.advance(seconds: 86_400)
            let (owner, customer) = (try await visitor.signedIn("+8613800138001"), try await Self.customer(visitor))
            let code = try await owner.post("/v1/campaigns/\(cast.campaign)/codes").string("code")
            #expect(try await cast.stamp(code, as: customer).status == 201)
        }
    }

    @Test("Caps are published with a campaign, and are null without them")
    func published() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            #expect(try await visitor.get("/v1/campaigns/\(cast.campaign)").json["stampsPerDayMax"] == .null)
            let body = String(Cast.campaignBody().dropLast()) + #","stampsPerDayMax":5,"minimumGapSeconds":30}"#
            let published = try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", body)
            #expect(try published.int("stampsPerDayMax") == 5 && published.int("minimumGapSeconds") == 30)
            let wrong = String(Cast.campaignBody().dropLast()) + #","stampsPerDayMax":0,"minimumGapSeconds":"1"}"#
            try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", wrong).expectInvalid("/minimumGapSeconds")
        }
    }
}
