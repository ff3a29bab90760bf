import CommandService
import Hummingbird
import Loyalty
import LoyaltyCodec

/// Shops of which an account wants no notices.
struct MuteRoutes {
    let resources: Resources

    var routes: [Route] {
        [.put("/v1/me/mutes/{shop}", mute), .delete("/v1/me/mutes/{shop}", unmute)]
    }

    private func mute(_ request: Request, _ context: APIContext) async throws -> Response {
        try await change(request, context, "PUT /v1/me/mutes") { shop, caller in
            try await resources.service.muteShop(shop, by: caller)
        }
    }

    private func unmute(_ request: Request, _ context: APIContext) async throws -> Response {
        try await change(request, context, "DELETE /v1/me/mutes") { shop, caller in
            try await resources.service.unmuteShop(shop, by: caller)
        }
    }

    /// Changes are counted, as those of favourites are; what changes nothing is not.
    private func change(
        _ request: Request, _ context: APIContext, _ operation: String, _ submit: (ShopID, Caller) async throws -> Acceptance
    ) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let key = try IdempotencyKey(optionalIn: request)
        let shop = try context.id(Shop.self, named: "shop")
        var canonical = CanonicalRequest(operation)
        canonical.add(shop.value)
        let (budget, caller) = (resources.muteBudget, resources.caller(bearer, key, canonical))
        let isBegun = try await resources.begin(caller.account, of: budget, for: caller)
        var hasChanged = false
        defer { if isBegun { budget.end(caller.account, failed: hasChanged) } }
        let acceptance = try await submit(shop, caller)
        hasChanged = !acceptance.isReplay && !acceptance.facts.isEmpty
        return .done(at: await resources.settled(acceptance).position)
    }
}
