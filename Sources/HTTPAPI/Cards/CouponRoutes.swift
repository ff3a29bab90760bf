import CommandService
import Composition
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec

/// The route that claims a coupon, a reward that each account may claim once. A claimed coupon is a full card.
struct CouponRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] { [.post("/v1/campaigns/{id}/coupon", claim)] }

    private func claim(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let id = try context.id(Campaign.self)
        let acceptance = try await resources.service.claimCoupon(of: id, by: write.caller("POST /v1/campaigns/coupon", id))
        guard let card = acceptance.cards.first else { throw Resources.missingFact(acceptance) }
        let answer: JSONFields = ["card": CardAnswer(card: try resources.service.opened(card)), "position": acceptance.position]
        return .written(.created, for: acceptance, location: "/v1/cards/" + card.id.text, answer)
    }
}
