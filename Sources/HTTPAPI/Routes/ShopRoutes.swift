import CommandService
import HTTPTypes
import Hummingbird
import Loyalty
import LoyaltyCodec
import ReadModels
import Search

/// Opening a shop, and its page.
struct ShopRoutes {
    let resources: Resources

    var routes: [Route] {
        [.post("/v1/shops", open), .get("/v1/shops/{id}", shop)]
    }

    private func open(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let key = try IdempotencyKey(optionalIn: request)
        let body = try await request.json(ShopRequest.self)
        guard body.images?.isEmpty ?? true else { throw Problem.invalid("images", "must be empty: there are no images yet") }
        let acceptance = try await resources.service.openShop(
            name: body.name, phone: body.phone, address: body.address,
            location: Coordinate(latitude: body.location.latitude, longitude: body.location.longitude),
            by: resources.caller(bearer, key, Self.canonical(body)))
        let settled = await resources.settled(acceptance)
        guard let fact = settled.facts.last, let shop = Shop(opening: fact) else { throw Resources.missingFact(settled) }
        let answer = ShopAnswer(shop: shop, rating: .none, campaigns: [])
        return .written(.created, at: settled.position, location: "/v1/shops/" + shop.id.text, answer)
    }

    private func shop(_ request: Request, _ context: APIContext) async throws -> Response {
        let id = try context.id(Shop.self)
        let viewer = try await resources.gate.admitAnyone(request)?.account
        try await resources.awaitMinPosition(of: request)
        let (shop, campaigns) = try resources.existing { past in
            try past.shop(id).map { ($0, try past.campaigns(of: id)) }
        }
        let now = resources.now
        let standings = try await resources.service.discovery.standings(of: campaigns.map(\.id), for: viewer)
        let answer = ShopAnswer(
            shop: shop, rating: try resources.service.models.ratings.rating(of: id),
            campaigns: campaigns.map {
                CampaignAnswer(campaign: $0, shop: shop, now: now, withDetails: false, standing: standings[$0.id] ?? .new)
            })
        return .ok(answer)
    }

    private static func canonical(_ body: ShopRequest) -> CanonicalRequest {
        var request = CanonicalRequest("POST /v1/shops")
        request.add(body.name)
        request.add(body.phone)
        request.add(body.address)
        request.add(body.location.latitude)
        request.add(body.location.longitude)
        return request
    }
}
