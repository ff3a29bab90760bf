import CommandService
import Composition
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec
import ReadModels
import Search

/// Routes of favourites.
struct FavoriteRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] {
        [
            resources.act(.put, "/v1/campaigns/{id}/favorite", counting: .favoriteChanges) {
                .addFavorite(AddFavorite(campaign: try $0.id()))
            },
            resources.act(.delete, "/v1/campaigns/{id}/favorite", counting: .favoriteChanges) {
                .removeFavorite(RemoveFavorite(campaign: try $0.id()))
            },
            .get("/v1/me/favorites", favorites),
        ]
    }

    private func favorites(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let page = try resources.page(PageRequest(request), of: "favorites of " + bearer.account.text)
        try await resources.awaitPosition(of: request, by: bearer.account, in: Discovery.name)
        let reached = resources.service.models.position(of: Discovery.name)
        let found = try resources.service.discovery.favorites(of: bearer.account, before: page.position, limit: page.limit)
        let answers = try await resources.campaignAnswers(found.items.map { ($0, nil) }, for: bearer.account, at: resources.now)
        return Response.ok(page.answer(answers, next: found.next)).showing(max(reached, found.position))
    }
}

/// Routes of the shops that an account has muted.
struct MuteRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] {
        [
            .get("/v1/me/mutes", mutes),
            resources.act(.put, "/v1/me/mutes/{shop}", counting: .muteChanges) {
                .muteShop(MuteShop(shop: try $0.id("shop")))
            },
            resources.act(.delete, "/v1/me/mutes/{shop}", counting: .muteChanges) {
                .unmuteShop(UnmuteShop(shop: try $0.id("shop")))
            },
        ]
    }

    /// Newest shops first. Without a limit, a page holds ``Limits/mutesShownMax``, because clients exist that read only one page.
    private func mutes(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let page = try resources.page(PageRequest(request, limit: Limits.mutesShownMax), of: "mutes of " + bearer.account.text)
        try await resources.awaitPosition(of: request)
        let shown = resources.service.log.head
        let muted = try resources.service.reading(through: shown) { try $0.mutedShops(of: bearer.account) }
        let left = muted.filter { $0.value < page.place ?? .max }.sorted { $0.value > $1.value }
        let items = left.prefix(page.limit)
        let next = left.count > items.count ? items.last?.value : nil
        return Response.ok(page.answer(try items.map { try resources.shop($0).link }, next: next)).showing(shown)
    }
}
