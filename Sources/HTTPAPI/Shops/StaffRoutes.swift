import CommandService
import Hummingbird
import Loyalty
import LoyaltyCodec

/// Routes of a shop's staff and its offers. `EmploymentRoutes` has the other side.
struct StaffRoutes {
    let resources: Resources

    var routes: [Route] {
        [
            .get("/v1/shops/{id}/staff", staff), .put("/v1/shops/{id}/staff/{account}", invite),
            .delete("/v1/shops/{id}/staff/{account}", remove), .get("/v1/shops/{id}/invitations", offers),
            .post("/v1/shops/{id}/invitations", invitePhone), .delete("/v1/shops/{id}/invitations/{invitation}", withdraw),
        ]
    }

    private func staff(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let id = try context.id(Shop.self)
        try await resources.awaitPosition(of: request)
        let shop = try resources.existing { try $0.shop(id) }
        guard shop.employs(bearer.account) else { throw Problem(.forbidden) }
        return .ok(StaffAnswer(shop: shop))
    }

    private func invite(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let key = try IdempotencyKey(optionalIn: request)
        let shop = try context.id(Shop.self)
        let account = try context.id(Account.self, named: "account")
        var canonical = CanonicalRequest("PUT /v1/shops/staff")
        canonical.add(shop.value)
        canonical.add(account.value)
        return try await offer(account, at: shop, by: resources.caller(bearer, key, canonical))
    }

    private func invitePhone(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let key = try IdempotencyKey(optionalIn: request)
        let shop = try context.id(Shop.self)
        let body = try await request.json(InvitationRequest.self)
        guard let phone = E164Number(body.phone) else {
            throw Problem.invalid("phone", .form(.phone))
        }
        var canonical = CanonicalRequest("POST /v1/shops/invitations")
        canonical.add(shop.value)
        canonical.add(phone.text)
        let account = try resources.service.invitee(withPhone: phone)
        return try await offer(account, at: shop, by: resources.caller(bearer, key, canonical))
    }

    /// Offers are counted, including those to unknown accounts; a request that changes nothing is not.
    private func offer(_ account: AccountID, at shop: ShopID, by caller: Caller) async throws -> Response {
        let budget = resources.invitationBudget
        let isBegun = try await resources.begin(caller.account, of: budget, for: caller)
        var isMade = false
        defer { if isBegun { budget.end(caller.account, failed: isMade) } }
        let acceptance = try await resources.service.inviteStaff(account, to: shop, by: caller)
        isMade = !acceptance.isReplay && !acceptance.facts.isEmpty
        return .written(.accepted, at: acceptance.position, OfferedAnswer(shop: shop))
    }

    private func remove(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let key = try IdempotencyKey(optionalIn: request)
        let shop = try context.id(Shop.self)
        let account = try context.id(Account.self, named: "account")
        var canonical = CanonicalRequest("DELETE /v1/shops/staff")
        canonical.add(shop.value)
        canonical.add(account.value)
        let acceptance = try await resources.service.removeStaff(
            account, from: shop, by: resources.caller(bearer, key, canonical))
        return .done(at: acceptance.position)
    }

    /// Lists the shop's open offers, on one page: a shop has at most a hundred.
    private func offers(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let id = try context.id(Shop.self)
        try await resources.awaitPosition(of: request)
        let shop = try resources.existing { try $0.shop(id) }
        guard shop.owner == bearer.account else { throw Problem(.forbidden) }
        let open = shop.openOffers(at: resources.now).sorted { ($0.expiresAt, $0.invitation) > ($1.expiresAt, $1.invitation) }
        return .ok(Page(items: open.map(OpenOfferAnswer.init), next: nil))
    }

    private func withdraw(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let key = try IdempotencyKey(optionalIn: request)
        let shop = try context.id(Shop.self)
        let invitation = try context.id(Invitation.self, named: "invitation")
        var canonical = CanonicalRequest("DELETE /v1/shops/invitations")
        canonical.add(shop.value)
        canonical.add(invitation.value)
        let acceptance = try await resources.service.withdrawInvitation(
            invitation, of: shop, by: resources.caller(bearer, key, canonical))
        return .done(at: acceptance.position)
    }
}

/// `POST /shops/{id}/invitations`
struct InvitationRequest: JSONReadable {
    let phone: String

    init(_ fields: inout FieldReader) {
        phone = fields.string("phone")
    }
}

/// The role of a person at a shop. All staff but the owner have the same rights.
enum ShopRole: String {
    case owner
    case counter
}

/// The staff of a shop, for its staff.
struct StaffAnswer: JSONWritable {
    let shop: Shop

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("owner", shop.owner)
            $0.array("staff", shop.staff.sorted()) { $0.value($1.text) }
        }
    }
}

/// The answer to an offer. It is the same whether or not the account exists, so it reveals nothing.
struct OfferedAnswer: JSONWritable {
    let shop: ShopID

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("shop", shop)
            $0.field("role", ShopRole.counter.rawValue)
        }
    }
}

/// An open offer of a shop, for its owner. It does not say whose it is: an offer to a phone number must not give away an account.
struct OpenOfferAnswer: JSONWritable {
    let offer: StaffOffer

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("id", offer.invitation)
            $0.field("role", ShopRole.counter.rawValue)
            $0.field("expiresAt", offer.expiresAt)
        }
    }
}

/// An offer as the invited account sees it.
struct InvitationAnswer: JSONWritable {
    let invitation: Invitation
    let shop: Shop

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("id", invitation.id)
            $0.field("kind", "staff")
            $0.field("role", ShopRole.counter.rawValue)
            $0.object("shop") {
                $0.field("id", shop.id)
                $0.field("name", shop.name)
            }
            $0.field("invitedAt", invitation.invitedAt)
            $0.field("expiresAt", invitation.expiresAt)
        }
    }
}

/// A shop where an account acts, as that account sees it.
struct WorkplaceAnswer: JSONWritable {
    let shop: Shop
    let role: ShopRole

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("id", shop.id)
            $0.field("name", shop.name)
            if let image = shop.images.first { $0.field("image", image) } else { $0.null("image") }
            $0.field("role", role.rawValue)
        }
    }
}
