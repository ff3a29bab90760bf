import CommandService
import Composition
import EventLog
import HTTPTypes
import Hummingbird
import Loyalty
import LoyaltyCodec
import ReadModels
import Search

/// Routes of favourites.
struct FavoriteRoutes {
    let resources: Resources

    var routes: [Route] {
        [
            .put("/v1/campaigns/{id}/favorite", add), .delete("/v1/campaigns/{id}/favorite", remove),
            .get("/v1/me/favorites", favorites),
        ]
    }

    private func add(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let id = try context.id(Campaign.self)
        let caller = write.caller("PUT /v1/campaigns/favorite", id)
        return .done(try await resources.counted(.favoriteChanges, by: caller) { try await resources.service.addFavorite(id, by: caller) })
    }

    private func remove(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let id = try context.id(Campaign.self)
        let caller = write.caller("DELETE /v1/campaigns/favorite", id)
        return .done(
            try await resources.counted(.favoriteChanges, by: caller) { try await resources.service.removeFavorite(id, by: caller) })
    }

    private func favorites(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let page = try PageRequest(request)
        let list = "favorites of " + bearer.account.text
        let before = try page.place(in: list, by: resources.signing.cursors)
        try await resources.awaitPosition(of: request, by: bearer.account, in: Discovery.name)
        let reached = resources.service.models.position(of: Discovery.name)
        let found = try resources.service.discovery.favorites(of: bearer.account, before: before, limit: page.limit)
        let answers = try await resources.campaignAnswers(found.items.map { ($0, nil) }, for: bearer.account, at: resources.now)
        let answer = Page(items: answers, next: found.next.map { resources.signing.cursors.text($0, in: list) })
        return Response.ok(answer).showing(max(reached, found.position))
    }
}

/// Routes of the shops that an account has muted.
struct MuteRoutes {
    let resources: Resources

    var routes: [Route] {
        [.get("/v1/me/mutes", mutes), .put("/v1/me/mutes/{shop}", mute), .delete("/v1/me/mutes/{shop}", unmute)]
    }

    /// Newest shops first. Without a limit, a page holds ``Limits/mutesShownMax``, because clients exist that read only one page.
    private func mutes(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let page = try PageRequest(request, limit: Limits.mutesShownMax)
        let list = "mutes of " + bearer.account.text
        let before = try page.cursor.map { try resources.signing.cursors.place($0, in: list) }
        try await resources.awaitPosition(of: request)
        let shown = resources.service.log.head
        let muted = try resources.service.reading(through: shown) { try $0.mutedShops(of: bearer.account) }
        let left = muted.filter { $0.value < before ?? .max }.sorted { $0.value > $1.value }
        let items = left.prefix(page.limit)
        let next = left.count > items.count ? items.last.map { resources.signing.cursors.text($0.value, in: list) } : nil
        return Response.ok(Page(items: try items.map { try resources.shop($0).link }, next: next)).showing(shown)
    }

    private func mute(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let shop = try context.id(Shop.self, named: "shop")
        let caller = write.caller("PUT /v1/me/mutes", shop)
        return .done(try await resources.counted(.muteChanges, by: caller) { try await resources.service.muteShop(shop, by: caller) })
    }

    private func unmute(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let shop = try context.id(Shop.self, named: "shop")
        let caller = write.caller("DELETE /v1/me/mutes", shop)
        return .done(try await resources.counted(.muteChanges, by: caller) { try await resources.service.unmuteShop(shop, by: caller) })
    }
}
