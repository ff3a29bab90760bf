import CommandService
import Hummingbird
import Loyalty
import LoyaltyCodec

/// Collecting.
struct StampRoutes {
    let resources: Resources

    var routes: [Route] { [.post("/v1/stamps", stamp)] }

    private func stamp(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let key = try IdempotencyKey(requiredIn: request)
        let body = try await request.json(StampRequest.self)
        let campaign = try body.campaign.map(Self.campaign)
        let acceptance = try await resources.stampBudget.spend(bearer.account, isFailure: Self.isWrongCode) {
            // What cannot be a code is as wrong as one that nobody issued.
            guard let code = TypedCode(typed: body.code) else { throw Problem(.codeNotValid) }
            let caller = resources.caller(bearer, key, Self.canonical(code, campaign))
            return try await resources.service.stamp(code, campaign: campaign, by: caller)
        }
        let settled = await resources.settled(acceptance)
        let location = settled.cards.first.map { "/v1/cards/" + $0.id.text }
        return .written(.created, at: settled.position, location: location, StampAnswer(acceptance: settled))
    }

    private static func campaign(_ text: String) throws -> CampaignID {
        guard let id = CampaignID(text: text) else { throw Problem(.notFound) }
        return id
    }

    private static func canonical(_ code: TypedCode, _ campaign: CampaignID?) -> CanonicalRequest {
        var request = CanonicalRequest("POST /v1/stamps")
        request.add(code.bits)
        if let campaign { request.add(campaign.value) }
        return request
    }

    private static func isWrongCode(_ error: any Error) -> Bool {
        Problem(error).code == .codeNotValid
    }
}
