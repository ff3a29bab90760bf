import CommandService
import Composition
import HTTPTypes
import Hummingbird
import Loyalty
import LoyaltyCodec

/// The routes of stamp codes, for a shop's owner and staff.
struct CodeRoutes: RouteGroup {
    private static let stampsDefault = 1

    let resources: Resources

    var routes: [Route] {
        [
            .post("/v1/campaigns/{id}/codes", issue), .get("/v1/codes/{id}", code),
            resources.act(.delete, "/v1/codes/{id}") { .destroyCode(DestroyCode(code: try $0.id())) },
        ]
    }

    private func issue(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let campaign = try context.id(Campaign.self)
        let body = try await request.optionalJSON(CodeRequest.init)
        let stamps = body.stamps ?? Self.stampsDefault
        let validFor = body.validFor ?? Loyalty.Limits.codeValiditySecondsDefault
        var canonical = CanonicalRequest("POST /v1/campaigns/codes", campaign, stamps, validFor)
        // The count is added only if present, so that a request without it has the same content as before the field existed.
        if let count = body.count { canonical.add(count) }
        canonical.add(shop: body.shop)
        let (service, caller) = (resources.service, write.caller(canonical))
        let place = CampaignPlace(campaign, at: body.shop)
        if let count = body.count {
            let command = service.issuingStrip(place, count: count, stamps: stamps, validFor: validFor)
            return strip(
                try await resources.counted(.strips, by: caller) { try await service.issue(command, by: caller) })
        }
        let acceptance = try await service.issue(service.issuing(place, stamps: stamps, validFor: validFor), by: caller)
        guard case .codeIssued(let event) = acceptance.facts.last?.event else { throw Resources.missingFact(acceptance) }
        return Response.written(.created, for: acceptance, location: "/v1/codes/" + event.code.text, answer(event)).unstored()
    }

    /// Several codes at once.
    private func strip(_ acceptance: Acceptance) -> Response {
        let codes = acceptance.facts.compactMap { fact -> CodeAnswer<Code>? in
            if case .codeIssued(let event) = fact.event { answer(event) } else { nil }
        }
        return Response.written(.created, for: acceptance, Page(items: codes, next: nil)).unstored()
    }

    private func answer(_ issued: CodeIssued) -> CodeAnswer<Code> {
        let shown = ShownCode(resources.service.stampCode(of: issued), .stamp, publicURL: resources.publicURL)
        return CodeAnswer(id: issued.code, shown: shown, expiresAt: issued.expiresAt)
    }

    private func code(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let id = try context.id(Code.self)
        try await resources.awaitPosition(of: request)
        let code = try resources.existing { try $0.code(id) }
        let shop = try resources.existing { try $0.shop(code.shop) }
        // Only the shop's owner and staff may learn that the code exists.
        guard shop.employs(bearer.account) else { throw Problem(.notFound) }
        let home = try code.home.map { id in try resources.existing { try $0.shop(id) } }
        return .ok(CodeStatusAnswer(code: code, status: code.status(at: resources.now, of: shop, home: home)))
    }
}

/// All fields, and the whole body, are optional.
struct CodeRequest {
    let stamps: Int?
    /// In seconds.
    let validFor: Int?
    /// If absent, the answer is a single code instead of a list.
    let count: Int?
    /// Optional if the caller works at the campaign's own shop, which is then meant, or at only one other.
    let shop: NamedShop?

    init(_ fields: inout FieldReader) {
        count = fields.optionalInt("count")
        stamps = fields.optionalInt("stamps")
        validFor = fields.optionalInt("validFor")
        shop = fields.optionalShop("shop")
    }
}

/// A new stamp or redemption code for the screen of the account that requested it.
struct CodeAnswer<Noun: Identified>: JSONRecord {
    let id: ID<Noun>
    let shown: ShownCode
    let expiresAt: Instant

    var fields: JSONFields { ["id": id] + shown.fields + ["expiresAt": expiresAt] }
}

/// A stamp code as its shop sees it, without the text, which only the issuing answer contains.
struct CodeStatusAnswer: JSONRecord {
    let code: Code
    let status: CodeStatus

    /// Lists also name the issuer.
    var isListed = false

    var fields: JSONFields {
        let state: JSONFields = [
            "id": code.id, "campaign": code.campaign, "shop": code.shop, "status": status.text, "stamps": code.stamps,
        ]
        return state + (isListed ? ["staff": code.issuer, "issuedAt": code.issuedAt] : [:]) + ["expiresAt": code.expiresAt]
    }
}

extension CodeStatus {
    var text: String {
        switch self {
        case .open: "open"
        case .used: "used"
        case .destroyed: "destroyed"
        case .expired: "expired"
        }
    }
}
