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
        let settled = await resources.settled(try await enter(body.code, campaign, bearer, key))
        let location = settled.cards.first.map { "/v1/cards/" + $0.id.text }
        return .written(.created, at: settled.position, location: location, StampAnswer(acceptance: settled))
    }

    /// Enters the code, unless its sender has been wrong too often.
    private func enter(
        _ typed: String, _ campaign: CampaignID?, _ bearer: SignedInAs, _ key: IdempotencyKey
    ) async throws -> Acceptance {
        try resources.stampBudget.arrive(bearer.account)
        do {
            // What cannot be a code is as wrong as one that nobody issued.
            guard let code = TypedCode(typed: typed) else { throw Problem(.codeNotValid) }
            let caller = resources.caller(bearer, key, Self.canonical(code, campaign))
            let acceptance = try await resources.service.stamp(code, campaign: campaign, by: caller)
            resources.stampBudget.leave(bearer.account, failed: false)
            return acceptance
        } catch {
            resources.stampBudget.leave(bearer.account, failed: Problem(error).code == .codeNotValid)
            throw error
        }
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
}
