import CommandService
import HTTPTypes
import Hummingbird
import Loyalty
import LoyaltyCodec

/// Stamp codes, for a shop's owner and staff.
struct CodeRoutes {
    private static let stampsDefault = 1

    let resources: Resources

    var routes: [Route] {
        [.post("/v1/campaigns/{id}/codes", issue), .get("/v1/codes/{id}", code), .delete("/v1/codes/{id}", destroy)]
    }

    private func issue(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let key = try IdempotencyKey(optionalIn: request)
        let campaign = try context.id(Campaign.self)
        let body = try await request.optionalJSON(CodeRequest.self)
        let stamps = body.stamps ?? Self.stampsDefault
        let validFor = body.validFor ?? Loyalty.Limits.codeValiditySecondsDefault
        let acceptance = try await resources.service.issueCode(
            of: campaign, stamps: stamps, validFor: validFor,
            by: resources.caller(bearer, key, Self.canonical(campaign, stamps, validFor)))
        let settled = await resources.settled(acceptance)
        guard case .codeIssued(let event) = settled.facts.last?.event else { throw Resources.missingFact(settled) }
        let code = resources.service.stampCode(of: event)
        let shown = ShownCode(code, .stamp, publicURL: resources.publicURL)
        let answer = CodeAnswer(id: event.code, shown: shown, expiresAt: event.expiresAt)
        return Response.written(.created, at: settled.position, location: "/v1/codes/" + event.code.text, answer).unstored()
    }

    private func code(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let id = try context.id(Code.self)
        try await resources.awaitMinPosition(of: request)
        let code = try resources.existing { try $0.code(id) }
        let shop = try resources.existing { try $0.shop(code.shop) }
        // Only staff may learn that the code exists.
        guard shop.employs(bearer.account) else { throw Problem(.notFound) }
        return .ok(CodeStatusAnswer(code: code, shop: shop, now: resources.now))
    }

    private func destroy(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let key = try IdempotencyKey(optionalIn: request)
        let id = try context.id(Code.self)
        var canonical = CanonicalRequest("DELETE /v1/codes")
        canonical.add(id.value)
        let acceptance = try await resources.service.destroyCode(id, by: resources.caller(bearer, key, canonical))
        return .done(at: await resources.settled(acceptance).position)
    }

    private static func canonical(_ campaign: CampaignID, _ stamps: Int, _ validFor: Int) -> CanonicalRequest {
        var request = CanonicalRequest("POST /v1/campaigns/codes")
        request.add(campaign.value)
        request.add(stamps)
        request.add(validFor)
        return request
    }
}

/// `POST /campaigns/{id}/codes`; every field may be left out, and so may the body.
struct CodeRequest: JSONReadable {
    let stamps: Int?
    /// Seconds.
    let validFor: Int?

    init(_ fields: inout FieldReader) {
        stamps = fields.optionalInt("stamps")
        validFor = fields.optionalInt("validFor")
    }
}

/// A fresh one-time code on the screen of the one who asked for it: a stamp code or a redemption code.
struct CodeAnswer<Noun: Identified>: JSONWritable {
    let id: ID<Noun>
    let shown: ShownCode
    let expiresAt: Instant

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("id", id)
            shown.write(to: &$0)
            $0.field("expiresAt", expiresAt)
        }
    }
}

/// A stamp code as the shop that issued it sees it. Not the code itself: it was shown once.
struct CodeStatusAnswer: JSONWritable {
    let code: Code
    /// The code's.
    let shop: Shop
    let now: Instant

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("id", code.id)
            $0.field("campaign", code.campaign)
            $0.field("shop", shop.id)
            $0.field("status", code.status(at: now, of: shop).text)
            $0.field("stamps", code.stamps)
            $0.field("expiresAt", code.expiresAt)
        }
    }
}

extension CodeStatus {
    fileprivate var text: String {
        switch self {
        case .open: "open"
        case .used: "used"
        case .destroyed: "destroyed"
        case .expired: "expired"
        }
    }
}
