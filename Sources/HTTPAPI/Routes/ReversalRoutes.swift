import CommandService
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec

/// Taking a reward back that was handed out by mistake.
struct ReversalRoutes {
    let resources: Resources

    var routes: [Route] { [.post("/v1/redemptions/{id}/reversal", reverse)] }

    private func reverse(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let key = try IdempotencyKey(optionalIn: request)
        let id = try context.id(Redemption.self)
        let reason = try await request.json(ReasonRequest.self).reason
        var canonical = CanonicalRequest("POST /v1/redemptions/reversal")
        canonical.add(id.value)
        canonical.add(reason)
        let caller = resources.caller(bearer, key, canonical)
        let acceptance = await resources.settled(try await resources.service.reverse(id, reason: reason, by: caller))
        return .written(.ok, at: acceptance.position, try answer(id, at: acceptance))
    }

    /// As it stood at the position of the reversal; where there was one before, as it stands now.
    private func answer(_ id: RedemptionID, at acceptance: Acceptance) throws -> RewardAnswer {
        let redemption = try resources.existing(through: acceptance.position) { try $0.redemption(id) }
        let card = try resources.existing(through: acceptance.position) { try $0.card(redemption.card) }
        let time = acceptance.facts.last?.time ?? resources.now
        let status = redemption.status(at: time, newest: card.newestRedemption, cardStatus: card.status)
        return RewardAnswer(
            redemption: RedemptionAnswer(redemption: redemption, status: status), card: try resources.service.opened(card),
            reasons: try resources.reasons(of: [card]), position: acceptance.position)
    }
}
