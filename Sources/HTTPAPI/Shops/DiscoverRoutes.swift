import CommandService
import Composition
import Hummingbird
import Loyalty
import ReadModels
import Search

/// The routes that find shops and campaigns, open to anyone. A signed-in reader also sees favourites.
struct DiscoverRoutes: RouteGroup {
    /// Campaigns with each shop of a list: the newest that are not over.
    private static let campaignsPerShopMax = 10

    let resources: Resources

    var routes: [Route] { [.get("/v1/campaigns", campaigns), .get("/v1/shops", shops)] }

    private func campaigns(_ request: Request, _ context: APIContext) async throws -> Response {
        let viewer = try await resources.gate.admitAnyone(request)?.account
        let size = try PageRequest(request)
        let search = try Self.campaignSearch(request, now: resources.now)
        let page = try page(size, of: "campaigns", request, ["near", "radius", "kind", "q", "shop", "running", "sort"])
        try await resources.awaitPosition(of: request, by: viewer, in: Discovery.name)
        return try await resources.withSearchSlot(context) {
            let found = try resources.service.discovery.campaigns(search, after: page.discovered, limit: page.limit)
            context.cost.addSearch(found: found.items.count, looks: found.looks)
            // The search's moment, so that no listed campaign is called over.
            let answers = try await resources.campaignAnswers(
                found.items.map { ($0.id, $0.distanceMillimeters) }, for: viewer, at: search.now)
            return .ok(page.answer(answers, next: found.next?.packed))
        }
    }

    private func shops(_ request: Request, _ context: APIContext) async throws -> Response {
        let viewer = try await resources.gate.admitAnyone(request)?.account
        let size = try PageRequest(request)
        let search = try Self.shopSearch(request)
        let page = try page(size, of: "shops", request, ["near", "radius", "q"])
        try await resources.awaitPosition(of: request, by: viewer, in: Discovery.name, ShopRatings.name)
        return try await resources.withSearchSlot(context) {
            let found = try resources.service.discovery.shops(search, after: page.discovered, limit: page.limit)
            let answers = try await shopAnswers(found.items, for: viewer)
            context.cost.addSearch(found: answers.reduce(answers.count) { $0 + $1.campaigns.count }, looks: found.looks)
            return .ok(page.answer(answers, next: found.next?.packed))
        }
    }

    private static func campaignSearch(_ request: Request, now: Instant) throws -> CampaignSearch {
        var query = QueryReader(request)
        let near = query.near()
        let search = CampaignSearch(
            near: near, kind: query.choice("kind"),
            text: query.searchedText(), shop: try query.id("shop", of: Shop.self),
            isRunning: query.flag("running"), now: now, sort: query.sort(near: near))
        try query.verdict()
        return search
    }

    private static func shopSearch(_ request: Request) throws -> ShopSearch {
        var query = QueryReader(request)
        let search = ShopSearch(near: query.near(), text: query.searchedText())
        try query.verdict()
        return search
    }

    /// The list's name contains the parameters, so that a cursor is valid only for the same values.
    private func page(_ size: PageRequest, of list: String, _ request: Request, _ parameters: [String]) throws(Problem) -> ListPage {
        let query = QueryReader(request)
        let values = parameters.map { "\($0)=\(query.text($0) ?? "")" }
        return try resources.page(size, of: list + " " + values.joined(separator: "\u{0}"))
    }

    private func shopAnswers(_ found: [Found<Shop>], for viewer: AccountID?) async throws -> [ShopAnswer] {
        let now = resources.now
        let open = try resources.service.discovery.openCampaigns(of: found.map(\.id), at: now, limit: Self.campaignsPerShopMax)
        let standings = try resources.service.discovery.standings(of: open.values.flatMap(\.self), for: viewer)
        return try await found.mapInTurns { item in
            let shop = try resources.shop(item.id)
            let campaigns = try (open[item.id] ?? []).map { id in
                CampaignAnswer(
                    campaign: try resources.service.opened(try resources.existing { try $0.campaign(id) }, of: shop), shop: shop, now: now,
                    withDetails: false,
                    standing: standings[id] ?? .new)
            }
            return ShopAnswer(
                shop: shop, rating: try resources.service.models.ratings.rating(of: shop.id), campaigns: campaigns,
                distanceMillimeters: item.distanceMillimeters)
        }
    }
}

extension ListPage {
    /// ``place`` of a search's list.
    var discovered: DiscoveryCursor? { place.flatMap { DiscoveryCursor(packed: $0) } }
}

extension Resources {
    /// Makes a search's or similarly long answer in a search slot of its account and address; without one if the address is not limited.
    ///
    /// - Parameter isLong: false for an answer that needs no slot.
    /// - Throws: `overloaded` without a free slot; an error of `answer`.
    func withSearchSlot(_ context: APIContext, if isLong: Bool = true, answer: () async throws -> Response) async throws -> Response {
        guard isLong, context.limitedAddress != nil else { return try await answer() }
        let slot = try slots.searches.take()
        defer { slot.giveBack() }
        return try await answer()
    }

    /// Campaigns for lists, read from the log, with standings from the search model.
    ///
    /// - Parameters:
    ///   - found: with the distance if the request names a place.
    ///   - viewer: nil if anonymous.
    func campaignAnswers(_ found: [(CampaignID, Int?)], for viewer: AccountID?, at now: Instant) async throws -> [CampaignAnswer] {
        let known = knownShops()
        let standings = try service.discovery.standings(of: found.map(\.0), for: viewer)
        return try await found.mapInTurns { id, distance in
            let campaign = try existing { try $0.campaign(id) }
            let shop = try known.shop(campaign.shop)
            return CampaignAnswer(
                campaign: try service.opened(campaign, of: shop), shop: shop, shops: try known.sharing(campaign), now: now,
                withDetails: false, standing: standings[id] ?? .new, distanceMillimeters: distance)
        }
    }
}

extension QueryReader {
    /// `near=LATITUDE,LONGITUDE` and `radius=METRES`; nil without a valid place.
    mutating func near() -> Near? {
        let center = value("near", .form(.coordinate), Self.coordinate)
        let range = SearchLimits.radiusMeters
        let fault = RequestFault.metres(Int(range.lowerBound)...Int(range.upperBound))
        let radius = value("radius", fault) { text in Self.decimal(text[...]).flatMap { range.contains($0) ? $0 : nil } }
        guard let center else {
            if text("near") == nil, text("radius") != nil { complain("radius", .needsNear) }
            return nil
        }
        return Near(center: center, radiusMeters: radius ?? SearchLimits.radiusMetersDefault)
    }

    /// Blank counts as absent.
    mutating func searchedText() -> String? {
        let text = value("q", .charactersAbove(SearchLimits.queryCharactersMax)) { text in
            text.unicodeScalars.count <= SearchLimits.queryCharactersMax ? text : nil
        }
        return text?.allSatisfy(\.isWhitespace) ?? true ? nil : text
    }

    /// By default, by distance from a named place, else newest first.
    mutating func sort(near: Near?) -> DiscoverySort {
        let sort: DiscoverySort? = choice("sort")
        if sort == .distance, text("near") == nil { complain("sort", .distanceNeedsNear) }
        return sort ?? (near == nil ? .newest : .distance)
    }

    private static func coordinate(_ text: String) -> Coordinate? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2, let latitude = decimal(parts[0]), let longitude = decimal(parts[1]) else { return nil }
        let place = Coordinate(latitude: latitude, longitude: longitude)
        return place.isOnEarth ? place : nil
    }

    /// `Double` also reads exponents, hexadecimal numbers and infinities.
    private static func decimal(_ text: Substring) -> Double? {
        guard !text.isEmpty, text.utf8.count <= 32, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E || $0 == 0x2D })
        else { return nil }
        return Double(text)
    }
}
