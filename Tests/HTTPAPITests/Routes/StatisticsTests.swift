import HTTPTypes
import Loyalty
import ReadModels
import Testing

@testable import HTTPAPI

@Suite("Statistics", .timeLimit(.minutes(15)))
struct StatisticsTests {
    @Test("A shop's owner sees its days, its staff and its cohorts")
    func shown() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            _ = try await cast.stamp(try await cast.issue(stamps: 2).code)
            stage.clock.advance(seconds: 600)
            _ = try await cast.issue()
            let card = try await cast.stamp(try await cast.issue().code).string("card", "id")
            _ = try await cast.redeem(try await cast.redemption(of: card).code)
            let reply = try await cast.owner.get(
                "/v1/shops/\(cast.shop)/statistics?from=2026-11-20&to=2026-11-22", headers: [.minPosition: "\(stage.head)"])
            #expect(reply.status == 200)
            #expect(
                try reply.json.names == [
                    "shop", "timeZone", "from", "to", "days", "totals", "redemptionRate", "repeatVisitRate", "cohorts", "staff",
                    "concentration",
                ])
            #expect(try reply.string("timeZone") == "Asia/Shanghai")
            let days = try #require(try reply.json["days"]?.items)
            #expect(days.map { $0["date"]?.string } == ["2026-11-20", "2026-11-21", "2026-11-22"])
            #expect(days[1]["codes"] == .number(3) && days[1]["stamps"] == .number(3) && days[1]["newCards"] == .number(1))
            #expect(days[1]["activeCustomers"] == .number(1) && days[1]["redemptions"] == .number(1))
            #expect(days[0]["stamps"] == .number(0) && days[2]["stamps"] == .number(0))
            #expect(try reply.json["redemptionRate"] == .number(1) && reply.json["repeatVisitRate"] == .number(0))
            #expect(try reply.json["staff"]?[0]?["account"] == .string(cast.owner.account))
            #expect(try reply.json["staff"]?[0]?["stamps"] == .number(3))
            #expect(try reply.json["concentration"] == .object(["cards": .array([]), "staff": .array([])]))
            let week = try await cast.owner.get("/v1/shops/\(cast.shop)/statistics?from=2026-11-16&to=2026-11-22")
            #expect(try week.json["cohorts"]?[0]?["week"] == .string("2026-11-16"))
            #expect(try week.json["cohorts"]?[0]?["retention"] == .array([.number(1)]))
        }
    }

    @Test("Statistics include all earlier events, even without a minimum position")
    func caughtUp() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            for count in 1...10 {
                _ = try await cast.stamp(try await cast.issue().code)
                let day = try await cast.owner.get("/v1/shops/\(cast.shop)/statistics?from=2026-11-21&to=2026-11-21").json["days"]?[0]
                #expect(day?["stamps"] == .number(Double(count)))
            }
        }
    }

    @Test("Without dates the statistics cover the last thirty days, in any time zone")
    func defaults() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let path = "/v1/shops/\(cast.shop)/statistics"
            let reply = try await cast.owner.get(path)
            #expect(try reply.json["days"]?.items?.count == 30)
            #expect(try reply.string("to") == "2026-11-21")
            #expect(try reply.json["redemptionRate"] == .null && reply.json["repeatVisitRate"] == .null)
            #expect(try await cast.owner.get(path + "?timeZone=Pacific/Auckland").string("to") == "2026-11-21")
            #expect(try await cast.owner.get(path + "?timeZone=Pacific/Kiritimati").string("to") == "2026-11-21")
            #expect(try await cast.owner.get(path + "?from=2026-11-01").string("to") == "2026-11-21")
            #expect(try await cast.owner.get(path + "?from=2026-01-01").string("to") == "2026-01-30")
            #expect(try await cast.owner.get(path + "?to=2026-01-30").string("from") == "2026-01-01")
        }
    }

    @Test("Only the shop's own people may read its statistics, and invalid parameters are rejected")
    func refused() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let path = "/v1/shops/\(cast.shop)/statistics"
            try await visitor.get(path).expectProblem("unauthenticated", 401)
            try await cast.customer.get(path).expectProblem("forbidden", 403)
            try await cast.owner.get("/v1/shops/shop_00000000000000000000000000/statistics").expectProblem("notFound", 404)
            for (query, field) in [
                ("from=yesterday", "/from"), ("from=2026-02-30", "/from"), ("to=2026-1-1", "/to"), ("from=2026-11-02&to=2026-11-01", "/to"),
                ("from=2020-01-01&to=2026-11-01", "/to"), ("timeZone=Middle/Earth", "/timeZone"), ("timeZone=", "/timeZone"),
                ("timeZone=../../etc/passwd", "/timeZone"), ("timeZone=GMT%2B0530", "/timeZone"),
            ] {
                try await cast.owner.get(path + "?" + query).expectInvalid(field)
            }
        }
    }

    @Test(
        "Days follow the time zone, including daylight saving time",
        arguments: [
            ("Asia/Shanghai", 1_795_190_399, 20_777), ("Asia/Shanghai", 1_795_190_400, 20_778), ("UTC", 0, 0), ("UTC", -1, -1),
            ("America/New_York", 1_710_046_800, 19_792), ("America/New_York", 1_710_129_599, 19_792),
            ("America/New_York", 1_710_129_600, 19_793),
        ] as [(String, Int64, Int)])
    func zones(_ name: String, _ seconds: Int64, _ day: Int) throws {
        let zone = try #require(ReportZone(name: name))
        #expect(zone.day(of: Instant(microseconds: seconds * 1_000_000)) == day)
    }
}
