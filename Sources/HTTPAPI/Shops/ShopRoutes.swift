import CommandService
import Composition
import Hummingbird
import Loyalty
import LoyaltyCodec
import PhoneNumbers
import ReadModels
import Search

/// The routes that open a shop, show it, edit it and close it.
struct ShopRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] {
        [
            .post("/v1/shops", open), .get("/v1/shops/{id}", shop), .patch("/v1/shops/{id}", edit),
            .post("/v1/shops/{id}/closing", close),
        ]
    }

    private func open(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let body = try await request.json(ShopRequest.init)
        let images = try (body.images ?? []).map { try Resources.image(named: $0, in: "images") }
        let caller = write.caller(Self.canonical(body, images))
        try await resources.requireNameable(images, in: "images", of: caller)
        let phone = try resources.shopPhone(body.phone, by: caller)
        let acceptance = try await resources.service.openShop(
            name: body.name, phone: phone, address: body.address, location: body.location, images: images,
            schedule: body.schedule, by: caller)
        guard let fact = acceptance.facts.last, let shop = Shop(opening: fact) else { throw Resources.missingFact(acceptance) }
        let answer = ShopAnswer(shop: try resources.service.opened(shop), rating: Rating.none, campaigns: [])
        let response = Response.written(.created, for: acceptance, location: "/v1/shops/" + shop.id.text, answer)
        return response.tagged(shop.version)
    }

    private func shop(_ request: Request, _ context: APIContext) async throws -> Response {
        let id = try context.id(Shop.self)
        let viewer = try await resources.gate.admitAnyone(request)?.account
        try await resources.awaitPosition(of: request, by: viewer, in: ShopRatings.name, Discovery.name)
        let (now, known) = (resources.now, resources.knownShops())
        let shop = try known.shop(id)
        let ids = try resources.service.reading { try $0.campaignIDs(of: id) } + resources.campaignIDs(sharedWith: id)
        let standings = try resources.service.discovery.standings(of: ids, for: viewer)
        return try await resources.withSearchSlot(context, if: ids.count > Limits.itemsWithoutSlotMax) {
            let campaigns = try ids.map { id in
                let campaign = try resources.existing { try $0.campaign(id) }
                let home = try known.shop(campaign.shop)
                return CampaignAnswer(
                    campaign: try resources.service.opened(campaign, of: home), shop: home, shops: try known.sharing(campaign), now: now,
                    withDetails: false, standing: standings[id] ?? .new)
            }
            let rating = try resources.service.models.ratings.rating(of: id)
            return Response.ok(ShopAnswer(shop: shop, rating: rating, campaigns: campaigns), version: shop.version, to: request)
        }
    }

    private func edit(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let id = try context.id(Shop.self)
        let expected = EntityTag.expected(by: request)
        // Absent fields stay.
        let body = try await request.json {
            (
                name: $0.editedString("name"), phone: $0.editedPhone(), address: $0.editedString("address"),
                location: $0.editedObject("location", FieldReader.coordinate), images: $0.counted($0.editedStrings("images")),
                timeZone: $0.editedTimeZone("timeZone"), openingHours: $0.changedHours("openingHours"), color: $0.changedColor("color"),
                logo: $0.changedString("logo")
            )
        }
        let images = try body.images?.map { try Resources.image(named: $0, in: "images") }
        let logo: Change<ImageID> =
            switch body.logo {
            case .unchanged: .unchanged
            case .removed: .removed
            case .set(let text): .set(try Resources.image(named: text, in: "logo"))
            }
        func edit(phone: String?) -> EditShop {
            EditShop(
                shop: id, expected: expected, name: body.name, phone: phone, address: body.address, location: body.location,
                images: images, timeZone: body.timeZone, openingHours: body.openingHours, color: body.color, logo: logo)
        }
        var canonical = Self.canonical(edit(phone: body.phone?.text))
        canonical.add(regionOf: body.phone)
        let caller = write.caller(canonical)
        let phone = try body.phone.map { typed in
            try resources.shopPhone(typed, by: caller) { try resources.shop(id).phone }
        }
        try await resources.requireNameable(images ?? [], in: "images", of: caller) {
            try resources.service.reading { try $0.shop(id) }?.images ?? []
        }
        try await resources.requireNameable(logo.value.map { [$0] } ?? [], in: "logo", of: caller) {
            try resources.service.reading { try $0.shop(id) }?.look.logo.map { [$0] } ?? []
        }
        let sender = RequestSender(caller)
        let acceptance = try await resources.service.editShop(edit(phone: phone), by: sender.caller)
        return try edited(id, acceptance, sender)
    }

    /// The body is optional.
    private func close(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let id = try context.id(Shop.self)
        let body = try await request.optionalJSON {
            (redeemUntil: $0.optionalTime("redeemUntil"), reason: $0.optionalString("reason"))
        }
        var canonical = CanonicalRequest("POST /v1/shops/closing", id)
        canonical.add(body.redeemUntil.map { Int($0.microseconds) })
        canonical.add(body.reason)
        let sender = RequestSender(write.caller(canonical))
        let acceptance = try await resources.service.closeShop(id, redeemUntil: body.redeemUntil, reason: body.reason, by: sender.caller)
        return try edited(id, acceptance, sender)
    }

    /// The shop right after the command, so that a retry gets the same answer.
    private func edited(_ id: ShopID, _ acceptance: Acceptance, _ sender: RequestSender) throws -> Response {
        let shop = try resources.shop(id, through: acceptance.position)
        let campaigns = try resources.service.reading(through: acceptance.position) { try $0.campaigns(of: id) }
        let time = resources.time(of: acceptance, by: sender)
        let answer = ShopAnswer(
            shop: shop, rating: nil,
            campaigns: try campaigns.map {
                CampaignAnswer(
                    campaign: try resources.service.opened($0, of: shop), shop: shop, now: time, withDetails: false,
                    standing: try resources.standing(of: $0.id, at: acceptance))
            })
        return Response.written(.ok, for: acceptance, answer).tagged(shop.version)
    }
}

extension ShopRoutes {
    private static func canonical(_ body: ShopRequest, _ images: [ImageID]) -> CanonicalRequest {
        var request = CanonicalRequest("POST /v1/shops", body.name, body.phone.text, body.address)
        request.add(body.location.latitude)
        request.add(body.location.longitude)
        for image in images { request.add(image.value) }
        if let zone = body.timeZone { request.add("timeZone " + zone) }
        if let hours = body.openingHours { request.add(hours) }
        request.add(regionOf: body.phone)
        return request
    }

    /// Leaves out the expected version, so that a retry may name another.
    private static func canonical(_ edit: EditShop) -> CanonicalRequest {
        var request = CanonicalRequest("PATCH /v1/shops", edit.shop)
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
        if let zone = edit.timeZone { request.add("timeZone " + zone) }
        if edit.openingHours != .unchanged { request.add(edit.openingHours) { $0.add($1) } }
        // Only if named, so that requests of older clients keep their content.
        if edit.color != .unchanged { request.add("color " + (edit.color.value?.name ?? "")) }
        if edit.logo != .unchanged { request.add("logo " + (edit.logo.value?.text ?? "")) }
        return request
    }
}

struct ShopRequest {
    let name: String
    let phone: PhoneField
    let address: String
    let location: Coordinate
    let images: [String]?
    let timeZone: String?
    let openingHours: [OpeningHours]?

    var schedule: ShopSchedule { ShopSchedule(timeZone: timeZone ?? ShopSchedule.defaultTimeZone, openingHours: openingHours) }

    init(_ fields: inout FieldReader) {
        name = fields.string("name")
        phone = fields.phone()
        address = fields.string("address")
        location = fields.object("location", FieldReader.coordinate)
        images = fields.counted(fields.optionalStrings("images"))
        timeZone = fields.optionalTimeZone("timeZone")
        openingHours = fields.changedHours("openingHours").value
    }
}

extension FieldReader {
    static func coordinate(_ fields: inout FieldReader) -> Coordinate {
        Coordinate(latitude: fields.double("latitude"), longitude: fields.double("longitude"))
    }

    fileprivate mutating func changedColor(_ name: String) -> Change<ShopColor> {
        switch changedString(name) {
        case .unchanged: return .unchanged
        case .removed: return .removed
        case .set(let text):
            if let color = ShopColor(named: text) { return .set(color) }
            complain(name, .oneOf(ShopColor.allCases.map(\.name)))
            return .unchanged
        }
    }

    /// Refuses too many images, before each is looked up.
    fileprivate mutating func counted(_ images: [String]?) -> [String]? {
        let most = Loyalty.Limits.shopImages.upperBound
        require((images ?? []).count <= most, "images", .rule(.above(most)))
        return images
    }
}

extension Shop {
    /// Nil if the number is in no region, or kept without its calling code.
    var region: String? { NumberingPlans.region(of: phone)?.code }
}

struct ShopAnswer: JSONRecord {
    let shop: Shop
    /// Nil in answers that a retry must get unchanged.
    let rating: Rating?
    let campaigns: [CampaignAnswer]
    /// Nil if the request names no place.
    var distanceMillimeters: Int?

    var fields: JSONFields {
        let contact: JSONFields = [
            "id": shop.id, "name": shop.name, "phone": shop.phone, "region": shop.region, "address": shop.address,
            "location": shop.location, "distance": IfPresent(distanceMillimeters.map { Double($0) / 1_000 }), "images": shop.images,
        ]
        let state: JSONFields = [
            "suspended": shop.isSuspended, "closedAt": IfPresent(shop.closing?.closedAt),
            "redeemUntil": IfPresent(shop.closing?.redeemUntil), "rating": IfPresent(rating), "campaigns": campaigns,
        ]
        return contact + shop.look.fields + shop.schedule.fields + state
    }
}

extension Shop {
    /// As other things refer to it.
    var link: JSONFields { ["id": id, "name": name, "image": images.first] + look.fields }
}

extension ShopLook: JSONRecord {
    /// None for a shop that chose none.
    var fields: JSONFields { ["color": IfPresent(color?.name), "logo": IfPresent(logo)] }
}

/// WGS 84 degrees.
extension Coordinate: JSONRecord {
    var fields: JSONFields { ["latitude": latitude, "longitude": longitude] }
}
