import CommandService
import HTTPTypes
import Hummingbird
import Loyalty
import LoyaltyCodec
import ReadModels
import Search

/// Campaigns: publishing, looking, ending.
struct CampaignRoutes {
    let resources: Resources

    var routes: [Route] {
        [
            .post("/v1/shops/{id}/campaigns", publish), .get("/v1/campaigns/{id}", campaign), .post("/v1/campaigns/{id}/end", end),
        ]
    }

    private func publish(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let key = try IdempotencyKey(optionalIn: request)
        let shop = try context.id(Shop.self)
        let draft = try await request.json(CampaignRequest.self).draft()
        let caller = resources.caller(bearer, key, Self.canonical(draft, of: shop))
        let acceptance = await resources.settled(try await resources.service.publishCampaign(draft, of: shop, by: caller))
        guard case .campaignPublished(let event) = acceptance.facts.last?.event else { throw Resources.missingFact(acceptance) }
        let answer = try resources.campaignAnswer(event.campaign, at: acceptance)
        return .written(.created, at: acceptance.position, location: "/v1/campaigns/" + event.campaign.text, answer)
    }

    private func campaign(_ request: Request, _ context: APIContext) async throws -> Response {
        let id = try context.id(Campaign.self)
        let viewer = try await resources.gate.admitAnyone(request)?.account
        try await resources.awaitMinPosition(of: request)
        let campaign = try resources.existing { try $0.campaign(id) }
        let shop = try resources.existing { try $0.shop(campaign.shop) }
        let rating = try resources.service.models.ratings.rating(of: shop.id)
        let standing = try await resources.service.discovery.standings(of: [id], for: viewer)[id] ?? .new
        return .ok(CampaignAnswer(campaign: campaign, shop: shop, now: resources.now, rating: rating, standing: standing))
    }

    private func end(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let key = try IdempotencyKey(optionalIn: request)
        let id = try context.id(Campaign.self)
        var canonical = CanonicalRequest("POST /v1/campaigns/end")
        canonical.add(id.value)
        let caller = resources.caller(bearer, key, canonical)
        let acceptance = await resources.settled(try await resources.service.endCampaign(id, by: caller))
        return .written(.ok, at: acceptance.position, try resources.campaignAnswer(id, at: acceptance))
    }

    private static func canonical(_ draft: CampaignDraft, of shop: ShopID) -> CanonicalRequest {
        var request = CanonicalRequest("POST /v1/shops/campaigns")
        request.add(shop.value)
        request.add(draft.kind.text)
        request.add(draft.title)
        request.add(draft.details)
        request.add(draft.goal)
        request.add(draft.reward)
        request.add(UInt64(bitPattern: draft.startsAt.microseconds))
        request.add(UInt64(bitPattern: draft.endsAt.microseconds))
        return request
    }
}
