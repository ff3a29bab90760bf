import CommandService
import Composition
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec
import WebPages

/// Routes of a shop's staff and of offers of work and of the shop, for the shop and for the people.
struct StaffRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] {
        [
            .get("/v1/shops/{id}/staff", staff), .put("/v1/shops/{id}/staff/{account}", invite),
            .patch("/v1/shops/{id}/staff/{account}", label),
            resources.act(.delete, "/v1/shops/{id}/staff/{account}") {
                .removeStaff(RemoveStaff(shop: try $0.id(), account: try $0.id("account")))
            },
            .get("/v1/shops/{id}/invitations", offers), .post("/v1/shops/{id}/invitations", invitePhone),
            resources.act(.delete, "/v1/shops/{id}/invitations/{invitation}") {
                .withdrawInvitation(WithdrawInvitation(shop: try $0.id(), invitation: try $0.id("invitation")))
            },
            .post("/v1/shops/{id}/transfer", offerTransfer),
            resources.act(.delete, "/v1/shops/{id}/transfer") { .withdrawTransfer(WithdrawTransfer(shop: try $0.id())) },
            .get("/v1/me/shops", shops), .get("/v1/me/invitations", invitations),
            resources.act(.post, "/v1/me/invitations/{id}/acceptance") { .acceptInvitation(AcceptInvitation(invitation: try $0.id())) },
            resources.act(.delete, "/v1/me/invitations/{id}") { .declineInvitation(DeclineInvitation(invitation: try $0.id())) },
            resources.act(.delete, "/v1/me/employments/{shop}") { .leaveShop(LeaveShop(shop: try $0.id("shop"))) },
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

    /// Null or an empty name takes the name away.
    private func label(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let (shop, account) = (try context.id(Shop.self), try context.id(Account.self, named: "account"))
        let change = try await request.json { fields in
            let change = fields.changedString("label")
            fields.require(change != .unchanged || !fields.errors.isEmpty, "label", .required)
            return change
        }
        let caller = write.caller("PATCH /v1/shops/staff", shop, account, change.value ?? "")
        let name = GreenTea.StaffName(of: account, at: shop, label: change.value)
        return .done(try await resources.service.labelStaff(name, by: caller))
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
        let offer = GreenTea.NumberOffer(toPhone: try resources.number(of: phone), at: shop, as: body.role, by: caller)
        // Counted even if the number has no account.
        let acceptance = try await resources.counted(.invitations, by: caller) { try await resources.service.inviteStaff(offer) }
        return .written(.accepted, for: acceptance, Self.offered(shop, body.role ?? .counter, to: phone.number))
    }

    private func offer(_ offer: GreenTea.StaffRoleOffer, by caller: Caller) async throws -> Response {
        let acceptance = try await resources.counted(.invitations, by: caller) {
            try await resources.service.inviteStaff(offer, by: caller)
        }
        return .written(.accepted, for: acceptance, Self.offered(offer.shop, offer.role ?? .counter, to: nil))
    }

    /// The same whether or not the number has an account, so as not to reveal it.
    ///
    /// - Parameter phone: nil for an offer to an account.
    private static func offered(_ shop: ShopID, _ role: Role, to phone: E164Number?) -> JSONFields {
        ["shop": shop, "role": role.name, "phone": IfPresent(phone?.text)]
    }

    /// Last to lapse first, on one page: at most a hundred offers of work and one of the shop. Without the accounts, because an offer must
    /// not reveal whether the number has one.
    private func offers(_ request: Request, _ context: APIContext) async throws -> Response {
        let shop = try await resources.shop(request, context, for: .owner)
        let now = resources.now
        var open = shop.openOffers(at: now).map { ($0.expiresAt, $0.invitation, $0.role) }
        if let transfer = shop.openTransfer(at: now) { open.append((transfer.expiresAt, transfer.invitation, .owner)) }
        let items = open.sorted { ($0.0, $0.1) > ($1.0, $1.1) }.map { expiresAt, invitation, role -> JSONFields in
            ["id": invitation, "kind": role.offerKind, "role": role.name, "expiresAt": expiresAt]
        }
        return .ok(Page(items: items, next: nil))
    }

    /// Uses the budget of offers of work, and does not reveal whether the number has an account.
    private func offerTransfer(_ request: Request, _ context: APIContext) async throws -> Response {
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
        return .written(.accepted, for: acceptance, Self.offered(shop, .owner, to: phone.number))
    }

    /// Owned shops first.
    private func shops(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        try await resources.awaitPosition(of: request)
        let shown = resources.service.log.head
        let (owned, employers) = try resources.service.reading(through: shown) {
            (try $0.shops(ownedBy: bearer.account), try $0.employers(of: bearer.account))
        }
        let items = try (owned + employers).map { shop in
            try resources.workplace(shop, of: bearer.account, as: shop.role(of: bearer.account) ?? .counter, through: shown)
        }
        return Response.ok(Page(items: items, next: nil)).showing(shown)
    }

    /// Closed offers are left out, so a page may be short although others follow.
    private func invitations(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let page = try resources.page(PageRequest(request), of: "invitations of " + bearer.account.text)
        try await resources.awaitPosition(of: request)
        let shown = resources.service.log.head
        let found = try resources.service.reading(through: shown) {
            try $0.invitations(of: bearer.account, before: page.position, limit: page.limit)
        }
        let now = resources.now
        let items = try found.invitations.compactMap { invitation -> JSONFields? in
            let shop = try resources.existing(through: shown) { try $0.shop(invitation.shop) }
            guard invitation.status(at: now, of: shop) == .open else { return nil }
            return invitation.fields(at: try resources.service.opened(shop))
        }
        return Response.ok(page.answer(items, next: found.next)).showing(shown)
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
        var labels = StaffLabels(at: shop.id, resources)
        let members = shop.members.sorted { ($1.value.role, $0.value.since, $0.key) < ($0.value.role, $1.value.since, $1.key) }
        let people = [(shop.owner, Member(role: .owner, since: shop.ownerSince))] + members.map { ($0.key, $0.value) }
        let items = try people.map { account, member -> JSONFields in
            let author = try authors.author(account)
            let person: JSONFields = [
                "account": account, "handle": author.handle, "nickname": author.nickname, "avatar": author.avatar,
                "role": member.role.name, "since": member.since, "openCodes": open[account] ?? 0,
            ]
            return person + (try labels.fields(of: account))
        }
        return ["owner": shop.owner, "staff": shop.staff.sorted(), "items": items, "next": String?.none]
    }
}

/// The names of a shop's people in one answer, each looked up once. Only the shop's people and the named one may see them.
struct StaffLabels {
    private let resources: Resources
    private let shop: ShopID
    private var known: [AccountID: String?] = [:]

    init(at shop: ShopID, _ resources: Resources) { (self.shop, self.resources) = (shop, resources) }

    mutating func label(of account: AccountID) throws -> String? {
        if let known = known[account] { return known }
        let label = try resources.service.label(of: account, at: shop)
        known[account] = .some(label)
        return label
    }

    /// The label, else the nickname, else the handle.
    mutating func name(of account: AccountID, among authors: inout Authors, in language: PageLanguage) throws -> String {
        if let label = try label(of: account) { return label }
        let author = try authors.author(account)
        return author.nickname ?? language.say(.personNamed, ["handle": author.handle])
    }

    mutating func fields(of account: AccountID) throws -> JSONFields { ["label": IfPresent(try label(of: account))] }
}

extension Invitation {
    /// As the invited account sees it.
    func fields(at shop: Shop) -> JSONFields {
        [
            "id": id, "kind": role.offerKind, "role": role.name, "shop": ["id": shop.id, "name": shop.name] as JSONFields,
            "invitedAt": invitedAt, "expiresAt": expiresAt,
        ]
    }
}

extension Resources {
    /// A shop as a person who owns it or works there sees it.
    func workplace(_ shop: Shop, of account: AccountID, as role: Role, through position: Position) throws -> JSONFields {
        let (known, label) = (try service.opened(shop), try service.label(of: account, at: shop.id, through: position))
        return known.link + ["role": role.name, "region": known.region, "closedAt": IfPresent(known.closing?.closedAt)]
            + ["label": IfPresent(label)]
    }
}

extension Role {
    var offerKind: String { self == .owner ? "transfer" : "staff" }
}
