import CommandService
import Composition
import Hummingbird
import Loyalty
import LoyaltyCodec

/// The routes by which a shop is offered to another account. `EmploymentRoutes` has the routes by which that account answers.
struct TransferRoutes {
    let resources: Resources

    var routes: [Route] { [.post("/v1/shops/{id}/transfer", offer), .delete("/v1/shops/{id}/transfer", withdraw)] }

    /// Offers the shop to the holder of a phone number. Such an offer uses up the same budget as offers of work. Like those offers, it does
    /// not reveal whether the number has an account.
    private func offer(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let key = try IdempotencyKey(optionalIn: request)
        let shop = try context.id(Shop.self)
        let body = try await request.json(TransferRequest.self)
        var canonical = CanonicalRequest("POST /v1/shops/transfer")
        canonical.add(shop.value)
        canonical.add(body.phone.text)
        canonical.add(regionOf: body.phone)
        let caller = resources.caller(bearer, key, canonical)
        let phone = try resources.typed(body.phone, by: caller)
        let account = try resources.service.invitee(withPhone: resources.number(of: phone))
        let acceptance = try await resources.counted(offer: caller) {
            try await resources.service.offerTransfer(of: shop, to: account, by: caller)
        }
        return .written(.accepted, for: acceptance, OfferedAnswer(shop: shop, role: .owner, phone: phone.number))
    }

    private func withdraw(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let key = try IdempotencyKey(optionalIn: request)
        let shop = try context.id(Shop.self)
        var canonical = CanonicalRequest("DELETE /v1/shops/transfer")
        canonical.add(shop.value)
        let acceptance = try await resources.service.withdrawTransfer(of: shop, by: resources.caller(bearer, key, canonical))
        return .done(acceptance)
    }
}

extension Resources {
    /// Counts an offer against the caller's budget, even if no account has the phone number. A request that changes nothing is not counted.
    func counted(offer caller: Caller, _ make: () async throws -> Acceptance) async throws -> Acceptance {
        let isBegun = try await begin(caller.account, of: invitationBudget, for: caller)
        var isMade = false
        defer { if isBegun { invitationBudget.end(caller.account, failed: isMade) } }
        let acceptance = try await make()
        isMade = !acceptance.isReplay && !acceptance.facts.isEmpty
        return acceptance
    }
}

/// The body of `POST /shops/{id}/transfer`, which offers the shop.
struct TransferRequest: JSONReadable {
    let phone: PhoneField

    init(_ fields: inout FieldReader) {
        phone = fields.phone()
    }
}

extension Role {
    /// The kind of an offer of this role, as answers name it.
    var offerKind: String { self == .owner ? "transfer" : "staff" }
}
