import CommandService
import Composition
import Hummingbird
import Loyalty
import LoyaltyCodec

/// The routes that offer a shop to another account; `EmploymentRoutes` has that account's answers.
struct TransferRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] {
        [
            .post("/v1/shops/{id}/transfer", offer),
            resources.act(.delete, "/v1/shops/{id}/transfer") { .withdrawTransfer(WithdrawTransfer(shop: try $0.id())) },
        ]
    }

    /// Uses the budget of offers of work, and does not reveal whether the number has an account.
    private func offer(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let shop = try context.id(Shop.self)
        let typed = try await request.json { $0.phone() }
        var canonical = CanonicalRequest("POST /v1/shops/transfer", shop, typed.text)
        canonical.add(regionOf: typed)
        let caller = write.caller(canonical)
        let phone = try resources.typed(typed, by: caller)
        let account = try resources.service.invitee(withPhone: resources.number(of: phone))
        let acceptance = try await resources.counted(.invitations, by: caller) {
            try await resources.service.offerTransfer(of: shop, to: account, by: caller)
        }
        return .written(.accepted, for: acceptance, OfferedAnswer(shop: shop, role: .owner, phone: phone.number))
    }
}

extension Role {
    var offerKind: String { self == .owner ? "transfer" : "staff" }
}
