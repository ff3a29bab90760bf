import CommandService
import Hummingbird
import Loyalty
import LoyaltyCodec

/// Who works at a shop.
struct StaffRoutes {
    let resources: Resources

    var routes: [Route] {
        [
            .get("/v1/shops/{id}/staff", staff), .put("/v1/shops/{id}/staff/{account}", add),
            .delete("/v1/shops/{id}/staff/{account}", remove),
        ]
    }

    private func staff(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let id = try context.id(Shop.self)
        try await resources.awaitMinPosition(of: request)
        let shop = try resources.existing { try $0.shop(id) }
        guard shop.employs(bearer.account) else { throw Problem(.forbidden) }
        return .ok(StaffAnswer(shop: shop))
    }

    private func add(_ request: Request, _ context: APIContext) async throws -> Response {
        try await change(request, context, "PUT /v1/shops/staff") { account, shop, caller in
            try await resources.service.addStaff(account, to: shop, by: caller)
        }
    }

    private func remove(_ request: Request, _ context: APIContext) async throws -> Response {
        try await change(request, context, "DELETE /v1/shops/staff") { account, shop, caller in
            try await resources.service.removeStaff(account, from: shop, by: caller)
        }
    }

    private func change(
        _ request: Request, _ context: APIContext, _ operation: String,
        _ submit: (AccountID, ShopID, Caller) async throws -> Acceptance
    ) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let key = try IdempotencyKey(optionalIn: request)
        let shop = try context.id(Shop.self)
        let account = try context.id(Account.self, named: "account")
        var canonical = CanonicalRequest(operation)
        canonical.add(shop.value)
        canonical.add(account.value)
        let acceptance = try await submit(account, shop, resources.caller(bearer, key, canonical))
        return .done(at: await resources.settled(acceptance).position)
    }
}
