import Caches
import CommandService
import Composition
import Hummingbird
import Loyalty
import LoyaltyCodec
import ReadModels
import Search

/// The routes that find shops and campaigns. They are open to anyone. A signed-in reader also sees which campaigns are among their
/// favourites.
struct DiscoverRoutes {
    /// The maximum number of campaigns that are shown with each shop of a list. They are the newest campaigns that are not over.
    private static let campaignsPerShopMax = 10

    let resources: Resources

    var routes: [Route] {
        [.get("/v1/campaigns", campaigns), .get("/v1/shops", shops)]
    }

    private func campaigns(_ request: Request, _ context: APIContext) async throws -> Response {
        let viewer = try await resources.gate.admitAnyone(request)?.account
        let page = try PageRequest(request)
        let search = try Self.campaignSearch(request, now: resources.now)
        let list = "campaigns " + Self.name(of: request, ["near", "radius", "kind", "q", "shop", "running", "sort"])
        let cursor = try cursor(page, list)
        try await resources.awaitPosition(of: request, by: viewer, in: Discovery.name)
        return try await resources.withSearchSlot(for: request, context) {
            let found = try resources.service.discovery.campaigns(search, after: cursor, limit: page.limit)
            context.cost.addSearch(found: found.items.count, looks: found.looks)
            // The answer is made for the moment of the search, so that no campaign is listed as running that the answer calls over.
            let answers = try await resources.campaignAnswers(
                found.items.map { ($0.id, $0.distanceMillimeters) }, for: viewer, at: search.now)
            return .ok(Page(items: answers, next: found.next.map { resources.signing.cursors.text($0.packed, in: list) }))
        }
    }

    private func shops(_ request: Request, _ context: APIContext) async throws -> Response {
        let viewer = try await resources.gate.admitAnyone(request)?.account
        let page = try PageRequest(request)
        let search = try Self.shopSearch(request)
        let list = "shops " + Self.name(of: request, ["near", "radius", "q"])
        let cursor = try cursor(page, list)
        try await resources.awaitPosition(of: request, by: viewer, in: Discovery.name, ShopRatings.name)
        return try await resources.withSearchSlot(for: request, context) {
            let found = try resources.service.discovery.shops(search, after: cursor, limit: page.limit)
            let answers = try await shopAnswers(found.items, for: viewer)
            context.cost.addSearch(found: answers.reduce(answers.count) { $0 + $1.campaigns.count }, looks: found.looks)
            return .ok(Page(items: answers, next: found.next.map { resources.signing.cursors.text($0.packed, in: list) }))
        }
    }

    private static func campaignSearch(_ request: Request, now: Instant) throws -> CampaignSearch {
        var query = QueryReader(request)
        let near = query.near()
        let search = CampaignSearch(
            near: near, kind: query.value("kind", .oneOf(CampaignKind.texts)) { CampaignKind(text: $0) },
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

    /// The name of the list to which a cursor belongs. It contains the request's values of the given parameters, so a cursor is valid only
    /// for the same values.
    private static func name(of request: Request, _ parameters: [String]) -> String {
        let query = QueryReader(request)
        return parameters.map { "\($0)=\(query.text($0) ?? "")" }.joined(separator: "\u{0}")
    }

    private func cursor(_ page: PageRequest, _ list: String) throws(Problem) -> DiscoveryCursor? {
        guard let cursor = page.cursor else { return nil }
        return DiscoveryCursor(packed: try resources.signing.cursors.place(cursor, in: list))
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

extension Resources {
    /// Makes the answer of a search, or another answer that takes as long, while it holds one of the search slots of its account and
    /// address. Needs no slot if the address is not limited.
    ///
    /// - Parameter isLong: false if the answer takes so little time that it needs no slot.
    /// - Throws: `overloaded` if the account or the address has all its slots, or all slots are taken; an error of `answer`.
    func withSearchSlot(
        for request: Request, _ context: APIContext, if isLong: Bool = true, answer: () async throws -> Response
    ) async throws -> Response {
        guard isLong, limitedAddress(of: request, context) != nil else { return try await answer() }
        let slot = try slots.searches.take()
        defer { slot.giveBack() }
        return try await answer()
    }

    /// Campaigns without details, as lists show them. The campaigns are read from the log, and their standings from the search model.
    ///
    /// - Parameters:
    ///   - found: the campaigns, each with its distance if the request names a place.
    ///   - viewer: the reading account; nil if it is anonymous.
    ///   - now: the moment at which the campaigns run or do not.
    func campaignAnswers(
        _ found: [(CampaignID, Int?)], for viewer: AccountID?, at now: Instant
    ) async throws -> [CampaignAnswer] {
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
    /// Reads the parameters `near=LATITUDE,LONGITUDE` and `radius=METRES`; nil if there is no valid place.
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

    /// Reads the text to search for from the parameter `q`. A blank text is treated as absent.
    mutating func searchedText() -> String? {
        let text = value("q", .charactersAbove(SearchLimits.queryCharactersMax)) { text in
            text.unicodeScalars.count <= SearchLimits.queryCharactersMax ? text : nil
        }
        return text?.allSatisfy(\.isWhitespace) ?? true ? nil : text
    }

    /// Reads the order of the results from the parameter `sort`. Without this parameter, the order is by distance if the request names a
    /// place, and otherwise newest first.
    mutating func sort(near: Near?) -> DiscoverySort {
        let sort = value("sort", .oneOf(["distance", "newest", "popular"])) { DiscoverySort(rawValue: $0) }
        if sort == .distance, text("near") == nil { complain("sort", .distanceNeedsNear) }
        return sort ?? (near == nil ? .newest : .distance)
    }

    private static func coordinate(_ text: String) -> Coordinate? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2, let latitude = decimal(parts[0]), let longitude = decimal(parts[1]) else { return nil }
        let place = Coordinate(latitude: latitude, longitude: longitude)
        return place.isOnEarth ? place : nil
    }

    /// Accepts only digits, points and minus signs, because `Double` also reads exponents, hexadecimal numbers and infinities.
    private static func decimal(_ text: Substring) -> Double? {
        guard !text.isEmpty, text.utf8.count <= 32, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E || $0 == 0x2D })
        else { return nil }
        return Double(text)
    }
}
