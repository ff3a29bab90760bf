import CommandService
import HTTPTypes
import Hummingbird
import Loyalty
import LoyaltyCodec
import ReadModels

/// One card, for its holder.
struct CardRoutes {
    let resources: Resources

    var routes: [Route] {
        [.get("/v1/cards/{id}", card), .delete("/v1/cards/{id}", discard), .post("/v1/cards/{id}/redemption", requestRedemption)]
    }

    private func card(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let id = try context.id(Card.self)
        try await resources.awaitMinPosition(of: request)
        guard let card = try resources.service.models.cards.card(id), card.holder == bearer.account else { throw Problem(.notFound) }
        return .ok(CardAnswer(card: try resources.service.opened(card), reasons: try resources.reasons(of: [card])))
    }

    private func discard(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let key = try IdempotencyKey(optionalIn: request)
        let id = try context.id(Card.self)
        let caller = resources.caller(bearer, key, Self.canonical("DELETE /v1/cards", id))
        let acceptance = try await resources.service.discardCard(id, by: caller)
        return .done(at: await resources.settled(acceptance).position)
    }

    private func requestRedemption(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let key = try IdempotencyKey(optionalIn: request)
        let id = try context.id(Card.self)
        let caller = resources.caller(bearer, key, Self.canonical("POST /v1/cards/redemption", id))
        let acceptance = await resources.settled(try await askForRedemption(of: id, by: caller))
        guard case .redemptionRequested(let event) = acceptance.facts.last?.event else { throw Resources.missingFact(acceptance) }
        let code = resources.service.redemptionCode(of: event)
        let shown = ShownCode(code, .redemption, publicURL: resources.publicURL)
        let answer = CodeAnswer(id: event.redemption, shown: shown, expiresAt: event.expiresAt)
        let location = "/v1/redemptions/" + event.redemption.text
        return Response.written(.created, at: acceptance.position, location: location, answer).unstored()
    }

    /// What is accepted counts against the card's budget, and nothing else: each is one event more of its history.
    private func askForRedemption(of card: CardID, by caller: Caller) async throws -> Acceptance {
        let budget = resources.redemptionRequestBudget
        let isBegun = try await resources.begin(card, of: budget, for: caller)
        var isAdded = false
        defer { if isBegun { budget.end(card, failed: isAdded) } }
        let acceptance = try await resources.service.requestRedemption(of: card, by: caller)
        isAdded = !acceptance.isReplay
        return acceptance
    }

    private static func canonical(_ operation: String, _ card: CardID) -> CanonicalRequest {
        var request = CanonicalRequest(operation)
        request.add(card.value)
        return request
    }
}
