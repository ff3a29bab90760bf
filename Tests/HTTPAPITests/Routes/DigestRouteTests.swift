import HTTPTypes
import Projections
import ReadModels
import Testing

@testable import HTTPAPI

@Suite("Digest", .timeLimit(.minutes(15)))
struct DigestRouteTests {
    private func give(_ cast: Cast, _ giver: Visitor, stamps: Int, to number: Int) async throws -> Int {
        let body = #"{"phone":"+86139001390\#(10 + number)","stamps":\#(stamps)}"#
        let given = try await giver.post("/v1/campaigns/\(cast.campaign)/stamps", body, key: "\(giver.name)-\(number)")
        #expect(given.status == 201, "\(given.text)")
        return try given.int("position")
    }

    @Test("A shop with a few visits has figures of today and no findings")
    func quietDay() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            _ = try await cast.fullCard()
            let json = try await cast.owner.get("/v1/shops/\(cast.shop)/digest").json
            #expect(json.names == ["shop", "timeZone", "date", "today", "fullCards", "findings", "unanswered"])
            #expect(json["date"] == .string("2026-11-21") && json["fullCards"]?.int == 1)
            #expect(json["today"]?["stamps"]?.int == 3 && json["today"]?["newCards"]?.int == 1)
            #expect(json["findings"] == .array([]) && json["unanswered"] == .array([]))
        }
    }

    @Test("Rewards that wait and a member who takes much back are found, in the reader's language, until the shop closes")
    func findings() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let barista = try await visitor.signedIn("+8613800138004", name: "barista")
            try await cast.hire(barista)
            for number in 0..<30 { _ = try await give(cast, cast.owner, stamps: 3, to: number) }
            for number in 30..<60 {
                let position = try await give(cast, barista, stamps: 1, to: number)
                guard number < 42 else { continue }
                let reversed = try await barista.post("/v1/stamps/\(position)/reversal", #"{"reason":"Refunded"}"#)
                #expect(reversed.status == 200, "\(reversed.text)")
            }
            let printed = try await barista.post("/v1/campaigns/\(cast.campaign)/codes", #"{"count":100}"#)
            #expect(printed.status == 201, "\(printed.text)")
            #expect(try await cast.owner.patch("/v1/shops/\(cast.shop)/staff/\(barista.account)", #"{"label":"阿美"}"#).status == 204)
            stage.clock.advance(seconds: 15 * 86_400)
            let owner = try await visitor.signedIn("+8613800138001", name: "owner")
            let path = "/v1/shops/\(cast.shop)/digest"
            let found = try #require(try await owner.get(path).json["findings"]?.items)
            #expect(found.map { $0["kind"]?.string } == ["unusualReversals", "rewardsWaiting"])
            let (reversals, rewards) = (found[0], found[1])
            #expect(reversals["figures"]?["account"]?.string == barista.account && reversals["cases"]?.int == 30)
            #expect(reversals["figures"]?["given"]?.int == 30 && reversals["figures"]?["reversed"]?.int == 12)
            #expect(reversals["figures"]?["othersGiven"]?.int == 90 && reversals["figures"]?["othersReversed"]?.int == 0)
            let sentence = "阿美 gave 30 stamps and rewards and took back 12 times; the rest of the team, 90 and 0: ask why?"
            #expect(reversals["question"]?.string == sentence && reversals["act"]?["kind"]?.string == "none")
            #expect(rewards["figures"]?["cards"]?.int == 30 && rewards["act"]?["kind"]?.string == "message")
            #expect(rewards["act"]?["fills"]?["text"]?.string?.contains("好喝奶茶店") == true)
            let chinese = try await owner.get(path, headers: [.acceptLanguage: "zh-Hans"]).json["findings"]
            #expect(rewards["question"]?.string?.hasPrefix("30 full cards") == true)
            #expect(chinese?[1]?["question"]?.string?.hasPrefix("30 张") == true)
            #expect(chinese?[0]?["question"]?.string?.hasPrefix("阿美 发放 30 个集点和奖励，撤回 12 次") == true)
            #expect(try await owner.post("/v1/shops/\(cast.shop)/closing").status == 200)
            #expect(try await owner.get(path).json["findings"] == .array([]))
        }
    }

    @Test("Only the owner and managers may read a shop's digest")
    func refused() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let barista = try await visitor.signedIn("+8613800138004", name: "barista")
            try await cast.hire(barista)
            let path = "/v1/shops/\(cast.shop)/digest"
            try await visitor.get(path).expectProblem("unauthenticated", 401)
            try await cast.customer.get(path).expectProblem("forbidden", 403)
            try await barista.get(path).expectProblem("roleRequired", 403)
            try await cast.owner.get("/v1/shops/shop_00000000000000000000000000/digest").expectProblem("notFound", 404)
        }
    }

    @Test("A part that needs too many rows leaves its findings unanswered, and any other error is reported")
    func tooMuch() throws {
        let error = ReadModelError(.tooMuch, model: "journeys", "too many")
        let none = try DigestRoutes.ifReadable { () throws(ReadModelError) -> Int in throw error }
        let seven = try DigestRoutes.ifReadable { () throws(ReadModelError) in 7 }
        #expect(none == nil && seven == 7)
        #expect(throws: ReadModelError.self) {
            try DigestRoutes.ifReadable { () throws(ReadModelError) -> Int in throw ReadModelError(.eventRefused, model: "journeys", "no") }
        }
    }
}
