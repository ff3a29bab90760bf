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
        let (campaign, caller) = try await who("PUT /v1/campaigns/favorite", request, context)
        let acceptance = try await change(campaign, isKept: true, by: caller)
        return .done(acceptance)
    }

    private func remove(_ request: Request, _ context: APIContext) async throws -> Response {
        let (campaign, caller) = try await who("DELETE /v1/campaigns/favorite", request, context)
        let acceptance = try await change(campaign, isKept: false, by: caller)
        return .done(acceptance)
    }

    /// Adds or removes a favourite within the account's budget, because each change adds a permanent event. A request that changes nothing
    /// is not counted.
    private func change(_ campaign: CampaignID, isKept: Bool, by caller: Caller) async throws -> Acceptance {
        let (budget, service) = (resources.favoriteBudget, resources.service)
        let isBegun = try await resources.begin(caller.account, of: budget, for: caller)
        var hasChanged = false
        defer { if isBegun { budget.end(caller.account, failed: hasChanged) } }
        let acceptance =
            isKept ? try await service.addFavorite(campaign, by: caller) : try await service.removeFavorite(campaign, by: caller)
        hasChanged = !acceptance.isReplay && !acceptance.facts.isEmpty
        return acceptance
    }

    private func who(_ operation: String, _ request: Request, _ context: APIContext) async throws -> (CampaignID, Caller) {
        let bearer = try await resources.gate.admit(request)
        let key = try IdempotencyKey(optionalIn: request)
        let campaign = try context.id(Campaign.self)
        var canonical = CanonicalRequest(operation)
        canonical.add(campaign.value)
        return (campaign, resources.caller(bearer, key, canonical))
    }

    private func favorites(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let page = try PageRequest(request)
        let list = "favorites of " + bearer.account.text
        let before = try page.place(in: list, by: resources.cursors)
        try await resources.awaitPosition(of: request, by: bearer.account, in: Discovery.name)
        let reached = resources.service.models.position(of: Discovery.name)
        let found = try resources.service.discovery.favorites(of: bearer.account, before: before, limit: page.limit)
        let answers = try await resources.campaignAnswers(found.items.map { ($0, nil) }, for: bearer.account, at: resources.now)
        let answer = Page(items: answers, next: found.next.map { resources.cursors.text($0, in: list) })
        return Response.ok(answer).showing(max(reached, found.position))
    }
}

/// Routes of the shops that an account has muted.
struct MuteRoutes {
    let resources: Resources

    var routes: [Route] {
        [.get("/v1/me/mutes", mutes), .put("/v1/me/mutes/{shop}", mute), .delete("/v1/me/mutes/{shop}", unmute)]
    }

    /// Lists the muted shops in the descending order of their ids, so that the newest shops come first. A page without a requested limit
    /// holds ``Limits/mutesShownMax`` shops, because clients exist that read only one page.
    private func mutes(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let page = try PageRequest(request, limit: Limits.mutesShownMax)
        let list = "mutes of " + bearer.account.text
        let before = try page.cursor.map { try resources.cursors.place($0, in: list) }
        try await resources.awaitPosition(of: request)
        let shown = resources.service.log.head
        let muted = try resources.service.reading(through: shown) { try $0.mutedShops(of: bearer.account) }
        let left = muted.filter { $0.value < before ?? .max }.sorted { $0.value > $1.value }
        let items = left.prefix(page.limit)
        let next = left.count > items.count ? items.last.map { resources.cursors.text($0.value, in: list) } : nil
        return Response.ok(Page(items: try items.map { MutedShopAnswer(shop: try resources.shop($0)) }, next: next)).showing(shown)
    }

    private func mute(_ request: Request, _ context: APIContext) async throws -> Response {
        try await change(request, context, "PUT /v1/me/mutes") { shop, caller in
            try await resources.service.muteShop(shop, by: caller)
        }
    }

    private func unmute(_ request: Request, _ context: APIContext) async throws -> Response {
        try await change(request, context, "DELETE /v1/me/mutes") { shop, caller in
            try await resources.service.unmuteShop(shop, by: caller)
        }
    }

    /// Mutes a shop, or ends a mute. Each change uses up the account's budget of mutes, because it adds a permanent event; a request that
    /// changes nothing is not counted.
    private func change(
        _ request: Request, _ context: APIContext, _ operation: String, _ submit: (ShopID, Caller) async throws -> Acceptance
    ) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let key = try IdempotencyKey(optionalIn: request)
        let shop = try context.id(Shop.self, named: "shop")
        var canonical = CanonicalRequest(operation)
        canonical.add(shop.value)
        let (budget, caller) = (resources.muteBudget, resources.caller(bearer, key, canonical))
        let isBegun = try await resources.begin(caller.account, of: budget, for: caller)
        var hasChanged = false
        defer { if isBegun { budget.end(caller.account, failed: hasChanged) } }
        let acceptance = try await submit(shop, caller)
        hasChanged = !acceptance.isReplay && !acceptance.facts.isEmpty
        return .done(acceptance)
    }
}

/// A shop that the account has muted.
private struct MutedShopAnswer: JSONWritable {
    /// The shop, with its texts decrypted.
    let shop: Shop

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("id", shop.id)
            $0.field("name", shop.name)
            if let image = shop.images.first { $0.field("image", image) } else { $0.null("image") }
        }
    }
}
