import CommandService
import Composition
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec

/// Routes of an account's jobs and received offers; `StaffRoutes` has the shops' side.
struct EmploymentRoutes {
    let resources: Resources

    var routes: [Route] {
        [
            .get("/v1/me/shops", shops), .get("/v1/me/invitations", invitations),
            .post("/v1/me/invitations/{id}/acceptance", accept), .delete("/v1/me/invitations/{id}", decline),
            .delete("/v1/me/employments/{shop}", leave),
        ]
    }

    /// Owned shops first.
    private func shops(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        try await resources.awaitPosition(of: request)
        let shown = resources.service.log.head
        let (owned, employers) = try resources.service.reading(through: shown) {
            (try $0.shops(ownedBy: bearer.account), try $0.employers(of: bearer.account))
        }
        let own = try owned.map { WorkplaceAnswer(shop: try resources.service.opened($0), role: .owner) }
        let others = try employers.map { shop in
            WorkplaceAnswer(shop: try resources.service.opened(shop), role: shop.role(of: bearer.account) ?? .counter)
        }
        return Response.ok(Page(items: own + others, next: nil)).showing(shown)
    }

    /// Closed offers are left out, so a page may be short although others follow.
    private func invitations(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let page = try PageRequest(request)
        let list = "invitations of " + bearer.account.text
        let before = try page.place(in: list, by: resources.signing.cursors)
        try await resources.awaitPosition(of: request)
        let shown = resources.service.log.head
        let found = try resources.service.reading(through: shown) {
            try $0.invitations(of: bearer.account, before: before, limit: page.limit)
        }
        let now = resources.now
        let items = try found.invitations.compactMap { invitation -> InvitationAnswer? in
            let shop = try resources.existing(through: shown) { try $0.shop(invitation.shop) }
            guard invitation.status(at: now, of: shop) == .open else { return nil }
            return InvitationAnswer(invitation: invitation, shop: try resources.service.opened(shop))
        }
        return Response.ok(Page(items: items, next: found.next.map { resources.signing.cursors.text($0, in: list) })).showing(shown)
    }

    private func accept(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let invitation = try context.id(Invitation.self)
        let caller = write.caller("POST /v1/me/invitations/acceptance", invitation)
        return .done(try await resources.service.acceptInvitation(invitation, by: caller))
    }

    private func decline(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let invitation = try context.id(Invitation.self)
        let caller = write.caller("DELETE /v1/me/invitations", invitation)
        return .done(try await resources.service.declineInvitation(invitation, by: caller))
    }

    private func leave(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let shop = try context.id(Shop.self, named: "shop")
        return .done(try await resources.service.leaveShop(shop, by: write.caller("DELETE /v1/me/employments", shop)))
    }
}
