import CommandService
import HTTPTypes
import Hummingbird
import Loyalty
import LoyaltyCodec
import ReadModels
import Search

/// Opening a shop, its page, and what its owner changes about it.
struct ShopRoutes {
    let resources: Resources

    var routes: [Route] {
        [.post("/v1/shops", open), .get("/v1/shops/{id}", shop), .patch("/v1/shops/{id}", edit)]
    }

    private func open(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let key = try IdempotencyKey(optionalIn: request)
        let body = try await request.json(ShopRequest.self)
        let images = try (body.images ?? []).map { try Resources.image(named: $0, in: "images") }
        let caller = resources.caller(bearer, key, Self.canonical(body, images))
        try resources.requireNameable(images, in: "images", of: caller)
        let acceptance = try await resources.service.openShop(
            name: body.name, phone: body.phone, address: body.address, location: body.location.coordinate, images: images,
            by: caller)
        let settled = await resources.settled(acceptance)
        guard let fact = settled.facts.last, let shop = Shop(opening: fact) else { throw Resources.missingFact(settled) }
        let answer = ShopAnswer(shop: try resources.service.opened(shop), rating: Rating.none, campaigns: [])
        let response = Response.written(.created, at: settled.position, location: "/v1/shops/" + shop.id.text, answer)
        return response.tagged(shop.version)
    }

    private func shop(_ request: Request, _ context: APIContext) async throws -> Response {
        let id = try context.id(Shop.self)
        let viewer = try await resources.gate.admitAnyone(request)?.account
        try await resources.awaitMinPosition(of: request)
        let (shop, campaigns) = (try resources.shop(id), try resources.service.reading { try $0.campaigns(of: id) })
        let now = resources.now
        let standings = try resources.service.discovery.standings(of: campaigns.map(\.id), for: viewer)
        let answer = ShopAnswer(
            shop: shop, rating: try resources.service.models.ratings.rating(of: id),
            campaigns: try campaigns.map {
                CampaignAnswer(
                    campaign: try resources.service.opened($0, of: shop), shop: shop, now: now, withDetails: false,
                    standing: standings[$0.id] ?? .new)
            })
        return Response.ok(answer).tagged(shop.version)
    }

    private func edit(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let key = try IdempotencyKey(optionalIn: request)
        let id = try context.id(Shop.self)
        let expected = EntityTag.expected(by: request)
        let body = try await request.json(ShopEditRequest.self)
        let edit = EditShop(
            shop: id, expected: expected, name: body.name, phone: body.phone, address: body.address,
            location: body.location?.coordinate,
            images: try body.images?.map { try Resources.image(named: $0, in: "images") })
        let caller = resources.caller(bearer, key, Self.canonical(edit))
        try resources.requireNameable(edit.images ?? [], in: "images", of: caller) {
            try resources.service.reading { try $0.shop(id) }?.images ?? []
        }
        return try edited(id, await resources.settled(try await resources.service.editShop(edit, by: caller)))
    }

    /// The shop as of the edit, so that its answer is the same for ever.
    private func edited(_ id: ShopID, _ acceptance: Acceptance) throws -> Response {
        let shop = try resources.shop(id, through: acceptance.position)
        let campaigns = try resources.service.reading(through: acceptance.position) { try $0.campaigns(of: id) }
        let time = acceptance.facts.last?.time ?? resources.now
        let answer = ShopAnswer(
            shop: shop, rating: nil,
            campaigns: try campaigns.map {
                CampaignAnswer(
                    campaign: try resources.service.opened($0, of: shop), shop: shop, now: time, withDetails: false,
                    standing: try resources.standing(of: $0.id, at: acceptance))
            })
        return Response.written(.ok, at: acceptance.position, answer).tagged(shop.version)
    }
}

extension ShopRoutes {
    private static func canonical(_ body: ShopRequest, _ images: [ImageID]) -> CanonicalRequest {
        var request = CanonicalRequest("POST /v1/shops")
        request.add(body.name)
        request.add(body.phone)
        request.add(body.address)
        request.add(body.location.latitude)
        request.add(body.location.longitude)
        for image in images { request.add(image.value) }
        return request
    }

    /// Not what the editor had seen: the same edit, sent again, is one.
    private static func canonical(_ edit: EditShop) -> CanonicalRequest {
        var request = CanonicalRequest("PATCH /v1/shops")
        request.add(edit.shop.value)
        request.add(edit.name)
        request.add(edit.phone)
        request.add(edit.address)
        request.add(edit.location == nil ? 0 : 1 as Int)
        if let location = edit.location {
            request.add(location.latitude)
            request.add(location.longitude)
        }
        request.add(edit.images?.count)
        for image in edit.images ?? [] { request.add(image.value) }
        return request
    }
}

extension CoordinateRequest {
    fileprivate var coordinate: Coordinate { Coordinate(latitude: latitude, longitude: longitude) }
}
