import HTTPTypes
import Loyalty
import ReadModels
import Testing

@testable import HTTPAPI

@Suite("Analytics", .timeLimit(.minutes(15)))
struct AnalyticsTests {
    @Test("A shop's owner sees returning customers, how cards fill, and the effect of a campaign")
    func shown() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            var owner = cast.owner
            for (stamps, days) in [(2, 8), (1, 1), (1, 4)] as [(Int, Int64)] {
                // Access tokens do not last for days, so the owner and the customer sign in again.
                owner = try await visitor.signedIn("+8613800138001", name: "owner")
                let customer = try await visitor.signedIn("+8613800138002", name: "customer")
                let code = try await owner.post("/v1/campaigns/\(cast.campaign)/codes", #"{"stamps":\#(stamps),"validFor":600}"#)
                #expect(try await cast.stamp(try code.string("code"), as: customer, key: "cup-\(stamps)-\(days)").status == 201)
                stage.clock.advance(seconds: days * 86_400)
            }
            owner = try await visitor.signedIn("+8613800138001", name: "owner")
            let path = "/v1/shops/\(cast.shop)/analytics?from=2026-11-16&to=2026-12-06&idleDays=3&campaign=\(cast.campaign)&weeks=1"
            let reply = try await owner.get(path, headers: [.minPosition: "\(stage.head)"])
            #expect(reply.status == 200, "\(reply.text)")
            let json = try reply.json
            #expect(json.names == ["shop", "timeZone", "from", "to", "retention", "fill", "abandonment", "effect"])
            let retention = try #require(json["retention"])
            #expect(retention["visits"] == .number(3) && retention["customers"] == .number(1) && retention["repeatVisitRate"] == .number(1))
            #expect(retention["cohorts"]?[0]?["week"] == .string("2026-11-16"))
            #expect(retention["cohorts"]?[0]?["retention"] == .array([.number(1), .number(1), .number(1)]))
            #expect(retention["curve"]?.items?.count == 3)
            #expect(json["fill"]?["cards"] == .number(1) && json["fill"]?["medianDays"] == .number(8))
            #expect(json["fill"]?["histogram"] == .array([.object(["days": .number(8), "cards": .number(1)])]))
            let left = try #require(json["abandonment"])
            #expect(
                left["cards"] == .number(2) && left["full"] == .number(1) && left["idle"] == .number(1) && left["share"] == .number(0.5))
            #expect(left["counts"]?[1]?["idle"] == .number(1) && left["counts"]?[2]?["reached"] == .number(1))
            let effect = try #require(json["effect"])
            #expect(effect["firstDay"] == .string("2026-11-01") && effect["change"] == .null)
            #expect(effect["before"]?["weeks"]?.items?.count == 1 && effect["before"]?["visitsPerWeek"] == .number(0))
            #expect(effect["during"]?["weeks"]?[2]?["newCustomers"] == .number(1) && effect["after"]?["weeks"] == .array([]))
            #expect(try await owner.get("/v1/shops/\(cast.shop)/analytics").json["effect"] == .null)
        }
    }

    @Test("A report on a past period counts idle cards as of today, and has the weeks after a campaign up to today")
    func past() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            _ = try await cast.stamp(try await cast.issue().code)
            #expect(try await cast.owner.post("/v1/campaigns/\(cast.campaign)/end").status == 200)
            stage.clock.advance(seconds: 100 * 86_400)
            let owner = try await visitor.signedIn("+8613800138001", name: "owner")
            let query = "from=2026-11-16&to=2026-11-30&idleDays=30&campaign=\(cast.campaign)&weeks=4"
            let reply = try await owner.get("/v1/shops/\(cast.shop)/analytics?\(query)", headers: [.minPosition: "\(stage.head)"])
            #expect(reply.status == 200, "\(reply.text)")
            let json = try reply.json
            #expect(json["to"] == .string("2026-11-30"))
            #expect(json["abandonment"]?["cards"] == .number(1) && json["abandonment"]?["idle"] == .number(1))
            #expect(json["effect"]?["after"]?["weeks"]?.items?.count == 4)
        }
    }

    @Test("Without dates the report covers the last half year, and rates without data are null")
    func defaults() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let path = "/v1/shops/\(cast.shop)/analytics"
            let reply = try await cast.owner.get(path)
            #expect(try reply.string("to") == "2026-11-21" && reply.string("from") == "2026-05-24")
            #expect(try reply.json["retention"]?["repeatVisitRate"] == .null && reply.json["fill"]?["medianDays"] == .null)
            #expect(try reply.json["abandonment"]?["share"] == .null && reply.json["abandonment"]?["idleDays"] == .number(60))
            #expect(try await cast.owner.get(path + "?from=2026-11-01").string("to") == "2026-11-21")
            #expect(try await cast.owner.get(path + "?to=2026-06-30").string("from") == "2025-12-31")
        }
    }

    @Test("Only the shop's own people may read its analytics, and invalid parameters are rejected")
    func refused() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let path = "/v1/shops/\(cast.shop)/analytics"
            try await visitor.get(path).expectProblem("unauthenticated", 401)
            try await cast.customer.get(path).expectProblem("forbidden", 403)
            try await cast.owner.get("/v1/shops/shop_00000000000000000000000000/analytics").expectProblem("notFound", 404)
            for (query, field) in [
                ("from=yesterday", "/from"), ("to=2026-1-1", "/to"), ("from=2026-11-02&to=2026-11-01", "/to"),
                ("from=2024-11-12&to=2026-11-20", "/to"), ("timeZone=Middle/Earth", "/timeZone"), ("idleDays=0", "/idleDays"),
                ("idleDays=739", "/idleDays"), ("idleDays=07", "/idleDays"), ("weeks=27", "/weeks"), ("weeks=x", "/weeks"),
                ("weeks=", "/weeks"),
                ("campaign=tea", "/campaign"), ("campaign=\(cast.shop)", "/campaign"),
            ] {
                try await cast.owner.get(path + "?" + query).expectInvalid(field)
            }
            let foreign = path + "?campaign=camp_00000000000000000000000000"
            try await cast.owner.get(foreign).expectProblem("notFound", 404)
            #expect(try await cast.owner.get(path + "?from=2024-11-13&to=2026-11-20").status == 200, "738 days may be requested")
        }
    }
}
