import HTTPTypes
import Testing

@Suite("Campaign limit of a shop", .timeLimit(.minutes(15)))
struct CampaignLimitTests {
    @Test("A shop may have a hundred open campaigns, and the next needs one of them to end")
    func open() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let path = "/v1/shops/\(cast.shop)/campaigns"
            for number in 2...100 {
                #expect(try await cast.owner.post(path, Cast.campaignBody(), key: "campaign-\(number)").status == 201)
            }
            let head = stage.head
            let refused = try await cast.owner.post(path, Cast.campaignBody(), key: "campaign-101")
            try refused.expectProblem("invalidRequest", 400)
            #expect(try refused.json["errors"]?[0]?["detail"]?.string?.contains("100") == true, "\(refused.text)")
            #expect(try await cast.owner.post(path, Cast.campaignBody(), key: "campaign-100").status == 201)
            #expect(stage.head == head)
            #expect(try await cast.owner.post("/v1/campaigns/\(cast.campaign)/end").status == 200)
            #expect(try await cast.owner.post(path, Cast.campaignBody(), key: "campaign-101").status == 201)
            #expect(try await visitor.get("/v1/shops/\(cast.shop)").json["campaigns"]?.items?.count == 101)
        }
    }
}
