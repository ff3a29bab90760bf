import CommandService
import Composition
import Hummingbird
import Loyalty
import LoyaltyCodec

/// Routes by which a shop manages its staff and its offers. `EmploymentRoutes` has the routes for the people who work at a shop or have an
/// offer.
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
        .ok(try staffAnswer(try await resources.shop(request, context, for: .manager)))
    }

    private func invite(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let (shop, account) = (try context.id(Shop.self), try context.id(Account.self, named: "account"))
        let role = try await request.optionalJSON(RoleRequest.self).role
        var canonical = CanonicalRequest("PUT /v1/shops/staff", shop, account)
        if let role { canonical.add(role.name) }
        return try await offer(GreenTea.StaffRoleOffer(account: account, shop: shop, role: role), by: write.caller(canonical))
    }

    private func invitePhone(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let shop = try context.id(Shop.self)
        let body = try await request.json(InvitationRequest.self)
        var canonical = CanonicalRequest("POST /v1/shops/invitations", shop, body.phone.text)
        if let role = body.role { canonical.add(role.name) }
        canonical.add(regionOf: body.phone)
        let caller = write.caller(canonical)
        let phone = try resources.typed(body.phone, by: caller)
        let account = try resources.service.invitee(withPhone: resources.number(of: phone))
        let offered = GreenTea.StaffRoleOffer(account: account, shop: shop, role: body.role)
        return try await offer(offered, phone: phone.number, by: caller)
    }

    /// Makes the offer, which is counted even if no account has the phone number.
    private func offer(_ offer: GreenTea.StaffRoleOffer, phone: E164Number? = nil, by caller: Caller) async throws -> Response {
        let acceptance = try await resources.counted(.invitations, by: caller) {
            try await resources.service.inviteStaff(offer, by: caller)
        }
        let answer = OfferedAnswer(shop: offer.shop, role: offer.role ?? .counter, phone: phone)
        return .written(.accepted, for: acceptance, answer)
    }

    private func remove(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let (shop, account) = (try context.id(Shop.self), try context.id(Account.self, named: "account"))
        let caller = write.caller("DELETE /v1/shops/staff", shop, account)
        return .done(try await resources.service.removeStaff(account, from: shop, by: caller))
    }

    /// Lists the shop's open offers, those that lapse last first. They fit on one page, because there are at most a hundred offers of work,
    /// and one offer to take over the shop.
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

    private func withdraw(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let (shop, invitation) = (try context.id(Shop.self), try context.id(Invitation.self, named: "invitation"))
        let caller = write.caller("DELETE /v1/shops/invitations", shop, invitation)
        return .done(try await resources.service.withdrawInvitation(invitation, of: shop, by: caller))
    }
}

/// The body of `POST /shops/{id}/invitations`, which offers work at the shop.
struct InvitationRequest: JSONReadable {
    let phone: PhoneField
    /// The offered role; `nil` for work at the counter.
    let role: Role?

    init(_ fields: inout FieldReader) {
        phone = fields.phone()
        role = fields.staffRole("role")
    }
}

/// The body of `PUT /shops/{id}/staff/{account}`, which may be absent.
struct RoleRequest: JSONReadable {
    let role: Role?

    init(_ fields: inout FieldReader) {
        role = fields.staffRole("role")
    }
}

extension FieldReader {
    /// Reads a role that can be offered, which is any role below the owner's.
    fileprivate mutating func staffRole(_ name: String) -> Role? {
        guard let text = optionalString(name) else { return nil }
        let roles = Role.allCases.filter { $0 < .owner }
        let role = roles.first { $0.name == text }
        if role == nil { complain(name, .oneOf(roles.map(\.name))) }
        return role
    }
}

extension StaffRoutes {
    /// The answer that lists the owner and then the staff. Managers come before people at the counter. Among people of the same role, those
    /// who have worked there longer come first.
    private func staffAnswer(_ shop: Shop) throws -> StaffAnswer {
        let open = try resources.service.reading { try $0.openCodeCounts(at: shop, now: resources.now) }
        var authors = Authors(at: shop, resources)
        let members = shop.members.sorted { ($1.value.role, $0.value.since, $0.key) < ($0.value.role, $1.value.since, $1.key) }
        let people = [(shop.owner, Member(role: .owner, since: shop.ownerSince))] + members.map { ($0.key, $0.value) }
        let items = try people.map { account, member in
            StaffMemberAnswer(account: account, member: member, author: try authors.author(account), openCodes: open[account] ?? 0)
        }
        return StaffAnswer(shop: shop, items: items)
    }
}

/// The people who work at a shop, for its managers.
struct StaffAnswer: JSONWritable {
    let shop: Shop
    let items: [StaffMemberAnswer]

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("owner", shop.owner)
            $0.array("staff", shop.staff.sorted()) { $0.value($1.text) }
            $0.array("items", items)
            $0.null("next")
        }
    }
}

/// One person who works at a shop, under the name that they chose.
struct StaffMemberAnswer: JSONWritable {
    let account: AccountID
    let member: Member
    let author: AuthorAnswer
    let openCodes: Int

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("account", account)
            $0.field("handle", author.handle)
            $0.field("nickname", author.nickname)
            if let avatar = author.avatar { $0.field("avatar", avatar) } else { $0.null("avatar") }
            $0.field("role", member.role.name)
            $0.field("since", member.since)
            $0.field("openCodes", openCodes)
        }
    }
}

/// The answer to a request that makes an offer. It does not depend on whether the phone number has an account, so it does not reveal this.
struct OfferedAnswer: JSONObject {
    let shop: ShopID
    let role: Role
    /// The number to which the offer was made; nil if it was made to an account.
    let phone: E164Number?

    func writeFields(to json: inout JSONWriter) {
        json.field("shop", shop)
        json.field("role", role.name)
        if let phone { json.field("phone", phone.text) }
    }
}

/// An open offer that a shop has made, as the shop's owner sees it. It leaves out the account, because an offer to a phone number must not
/// reveal whether the number has an account.
struct OpenOfferAnswer: JSONObject {
    let invitation: InvitationID
    let role: Role
    let expiresAt: Instant

    func writeFields(to json: inout JSONWriter) {
        json.field("id", invitation)
        json.field("kind", role.offerKind)
        json.field("role", role.name)
        json.field("expiresAt", expiresAt)
    }
}

/// An offer as the invited account sees it.
struct InvitationAnswer: JSONWritable {
    let invitation: Invitation
    let shop: Shop

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("id", invitation.id)
            $0.field("kind", invitation.role.offerKind)
            $0.field("role", invitation.role.name)
            $0.object("shop") {
                $0.field("id", shop.id)
                $0.field("name", shop.name)
            }
            $0.field("invitedAt", invitation.invitedAt)
            $0.field("expiresAt", invitation.expiresAt)
        }
    }
}

/// A shop where an account works, as that account sees it.
struct WorkplaceAnswer: JSONWritable {
    let shop: Shop
    let role: Role

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("id", shop.id)
            $0.field("name", shop.name)
            if let image = shop.images.first { $0.field("image", image) } else { $0.null("image") }
            $0.field("role", role.name)
            $0.field("region", shop.region)
            if let closing = shop.closing { $0.field("closedAt", closing.closedAt) }
        }
    }
}
