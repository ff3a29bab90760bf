import CommandService
import Composition
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec

/// Routes of an account's jobs and received offers; `StaffRoutes` has the shops' side.
struct EmploymentRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] {
        [
            .get("/v1/me/shops", shops), .get("/v1/me/invitations", invitations),
            resources.act(.post, "/v1/me/invitations/{id}/acceptance") {
                .acceptInvitation(AcceptInvitation(invitation: try $0.id()))
            },
            resources.act(.delete, "/v1/me/invitations/{id}") {
                .declineInvitation(DeclineInvitation(invitation: try $0.id()))
            },
            resources.act(.delete, "/v1/me/employments/{shop}") { .leaveShop(LeaveShop(shop: try $0.id("shop"))) },
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
        let page = try resources.page(PageRequest(request), of: "invitations of " + bearer.account.text)
        try await resources.awaitPosition(of: request)
        let shown = resources.service.log.head
        let found = try resources.service.reading(through: shown) {
            try $0.invitations(of: bearer.account, before: page.position, limit: page.limit)
        }
        let now = resources.now
        let items = try found.invitations.compactMap { invitation -> InvitationAnswer? in
            let shop = try resources.existing(through: shown) { try $0.shop(invitation.shop) }
            guard invitation.status(at: now, of: shop) == .open else { return nil }
            return InvitationAnswer(invitation: invitation, shop: try resources.service.opened(shop))
        }
        return Response.ok(page.answer(items, next: found.next)).showing(shown)
    }
}
