import CommandService
import Composition
import Hummingbird
import Loyalty
import LoyaltyCodec

/// Routes of a shop's staff and offers; `EmploymentRoutes` has those for the people.
struct StaffRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] {
        [
            .get("/v1/shops/{id}/staff", staff), .put("/v1/shops/{id}/staff/{account}", invite),
            resources.act(.delete, "/v1/shops/{id}/staff/{account}") {
                .removeStaff(RemoveStaff(shop: try $0.id(), account: try $0.id("account")))
            },
            .get("/v1/shops/{id}/invitations", offers), .post("/v1/shops/{id}/invitations", invitePhone),
            resources.act(.delete, "/v1/shops/{id}/invitations/{invitation}") {
                .withdrawInvitation(WithdrawInvitation(shop: try $0.id(), invitation: try $0.id("invitation")))
            },
        ]
    }

    private func staff(_ request: Request, _ context: APIContext) async throws -> Response {
        .ok(try staffAnswer(try await resources.shop(request, context, for: .manager)))
    }

    private func invite(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let (shop, account) = (try context.id(Shop.self), try context.id(Account.self, named: "account"))
        let role = try await request.optionalJSON { $0.staffRole("role") }
        var canonical = CanonicalRequest("PUT /v1/shops/staff", shop, account)
        if let role { canonical.add(role.name) }
        return try await offer(GreenTea.StaffRoleOffer(account: account, shop: shop, role: role), by: write.caller(canonical))
    }

    private func invitePhone(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let shop = try context.id(Shop.self)
        let body = try await request.json { (phone: $0.phone(), role: $0.staffRole("role")) }
        var canonical = CanonicalRequest("POST /v1/shops/invitations", shop, body.phone.text)
        if let role = body.role { canonical.add(role.name) }
        canonical.add(regionOf: body.phone)
        let caller = write.caller(canonical)
        let phone = try resources.typed(body.phone, by: caller)
        let account = try resources.service.invitee(withPhone: resources.number(of: phone))
        let offered = GreenTea.StaffRoleOffer(account: account, shop: shop, role: body.role)
        return try await offer(offered, phone: phone.number, by: caller)
    }

    /// Counted even if the number has no account.
    private func offer(_ offer: GreenTea.StaffRoleOffer, phone: E164Number? = nil, by caller: Caller) async throws -> Response {
        let acceptance = try await resources.counted(.invitations, by: caller) {
            try await resources.service.inviteStaff(offer, by: caller)
        }
        let answer = OfferedAnswer(shop: offer.shop, role: offer.role ?? .counter, phone: phone)
        return .written(.accepted, for: acceptance, answer)
    }

    /// Last to lapse first, on one page: at most a hundred offers of work and one of the shop.
    private func offers(_ request: Request, _ context: APIContext) async throws -> Response {
        let shop = try await resources.shop(request, context, for: .owner)
        let now = resources.now
        var open = shop.openOffers(at: now).map { OpenOfferAnswer(invitation: $0.invitation, role: $0.role, expiresAt: $0.expiresAt) }
        if let transfer = shop.openTransfer(at: now) {
            open.append(OpenOfferAnswer(invitation: transfer.invitation, role: .owner, expiresAt: transfer.expiresAt))
        }
        open.sort { ($0.expiresAt, $0.invitation) > ($1.expiresAt, $1.invitation) }
        return .ok(Page(items: open, next: nil))
    }
}

extension FieldReader {
    /// Any role below the owner's; nil for the counter.
    fileprivate mutating func staffRole(_ name: String) -> Role? {
        guard let text = optionalString(name) else { return nil }
        let roles = Role.allCases.filter { $0 < .owner }
        let role = roles.first { $0.name == text }
        if role == nil { complain(name, .oneOf(roles.map(\.name))) }
        return role
    }
}

extension StaffRoutes {
    /// The owner, then managers, then the counter; longer service first.
    private func staffAnswer(_ shop: Shop) throws -> JSONFields {
        let open = try resources.service.reading { try $0.openCodeCounts(at: shop, now: resources.now) }
        var authors = Authors(at: shop, resources)
        let members = shop.members.sorted { ($1.value.role, $0.value.since, $0.key) < ($0.value.role, $1.value.since, $1.key) }
        let people = [(shop.owner, Member(role: .owner, since: shop.ownerSince))] + members.map { ($0.key, $0.value) }
        let items = try people.map { account, member in
            StaffMemberAnswer(account: account, member: member, author: try authors.author(account), openCodes: open[account] ?? 0)
        }
        return ["owner": shop.owner, "staff": shop.staff.sorted(), "items": items, "next": String?.none]
    }
}

struct StaffMemberAnswer: JSONRecord {
    let account: AccountID
    let member: Member
    let author: AuthorAnswer
    let openCodes: Int

    var fields: JSONFields {
        [
            "account": account, "handle": author.handle, "nickname": author.nickname, "avatar": author.avatar, "role": member.role.name,
            "since": member.since, "openCodes": openCodes,
        ]
    }
}

/// The same whether or not the number has an account, so as not to reveal it.
struct OfferedAnswer: JSONRecord {
    let shop: ShopID
    let role: Role
    /// Nil for an offer to an account.
    let phone: E164Number?

    var fields: JSONFields { ["shop": shop, "role": role.name, "phone": IfPresent(phone?.text)] }
}

/// An open offer for the owner, without the account, because the offer must not reveal whether the number has an account.
struct OpenOfferAnswer: JSONRecord {
    let invitation: InvitationID
    let role: Role
    let expiresAt: Instant

    var fields: JSONFields { ["id": invitation, "kind": role.offerKind, "role": role.name, "expiresAt": expiresAt] }
}

struct InvitationAnswer: JSONRecord {
    let invitation: Invitation
    let shop: Shop

    var fields: JSONFields {
        [
            "id": invitation.id, "kind": invitation.role.offerKind, "role": invitation.role.name,
            "shop": ["id": shop.id, "name": shop.name] as JSONFields, "invitedAt": invitation.invitedAt, "expiresAt": invitation.expiresAt,
        ]
    }
}

struct WorkplaceAnswer: JSONRecord {
    let shop: Shop
    let role: Role

    var fields: JSONFields {
        shop.link + ["role": role.name, "region": shop.region, "closedAt": IfPresent(shop.closing?.closedAt)]
    }
}
