import CommandService
import Composition
import EventLog
import HTTPTypes
import Hummingbird
import Loyalty
import LoyaltyCodec

/// The routes by which operators correct cards, and suspend and reinstate shops. Each correction is an event of its own.
struct AdminRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] {
        [
            .post("/v1/admin/cards/{id}/adjustments", adjust), .post("/v1/admin/shops/{id}/suspension", suspend),
            .delete("/v1/admin/shops/{id}/suspension", reinstate),
        ]
    }

    private func adjust(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.operatorWrite(request)
        let id = try context.id(Card.self)
        let body = try await request.json { (stamps: $0.int("stamps"), reason: $0.string("reason")) }
        let adjustment = AdjustCard(
            card: id, expected: EntityTag.optional(in: request) ?? .any, stamps: body.stamps, reason: .clear(body.reason))
        let caller = write.caller("POST /v1/admin/cards/adjustments", id, body.stamps, body.reason)
        let acceptance = try await resources.service.adjustCard(adjustment, by: caller)
        guard let card = acceptance.cards.first else { throw Resources.missingFact(acceptance) }
        let shown = CardAnswer(card: try resources.service.opened(card), reasons: try resources.reasons(of: [card]))
        let answer: JSONFields = ["card": shown, "position": acceptance.position]
        return Response.written(.created, for: acceptance, location: "/v1/cards/" + id.text, answer).tagged(card.version)
    }

    private func suspend(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.operatorWrite(request)
        let shop = try context.id(Shop.self)
        let reason = try await request.json { $0.string("reason") }
        let caller = write.caller("POST /v1/admin/shops/suspension", shop, reason)
        return .done(try await resources.service.suspendShop(shop, reason: reason, by: caller))
    }

    private func reinstate(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.operatorWrite(request)
        let shop = try context.id(Shop.self)
        let reason = try await request.optionalJSON { $0.optionalString("reason") } ?? ""
        let caller = write.caller("DELETE /v1/admin/shops/suspension", shop, reason)
        return .done(try await resources.service.reinstateShop(shop, reason: reason, by: caller))
    }
}
