import CommandService
import Composition
import Hummingbird
import Loyalty
import LoyaltyCodec
import ReadModels
import Search

/// The routes that find shops and campaigns, open to anyone. A signed-in reader also sees favourites, and may search among the campaigns of
/// nearly full cards.
struct DiscoverRoutes: RouteGroup {
    /// Campaigns with each shop of a list: the newest that are not over.
    private static let campaignsPerShopMax = 10

    let resources: Resources

    var routes: [Route] { [.get("/v1/campaigns", campaigns), .get("/v1/shops", shops)] }

    private func campaigns(_ request: Request, _ context: APIContext) async throws -> Response {
        let viewer = try await resources.gate.admitAnyone(request)?.account
        let size = try PageRequest(request)
        var search = try Self.campaignSearch(request, now: resources.now)
        let holder = try Self.holder(request, viewer)
        let names = ["near", "radius", "kind", "q", "shop", "running", "sort"] + Self.filters
        let page = try page(size, of: "campaigns", request, names, by: holder)
        try await resources.awaitPosition(of: request, by: viewer, in: Discovery.name)
        if let holder { search.among = try await nearlyFull(request, of: holder, at: search.now).campaigns }
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
        let now = resources.now
        var search = try Self.shopSearch(request, now: now)
        let holder = try Self.holder(request, viewer)
        let page = try page(size, of: "shops", request, ["near", "radius", "q"] + Self.shopSort(request) + Self.filters, by: holder)
        try await resources.awaitPosition(of: request, by: viewer, in: Discovery.name, ShopRatings.name)
        if let holder { search.among = try await nearlyFull(request, of: holder, at: now).shops }
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
            isRunning: query.flag("running"), now: now, sort: query.sort(near: near), filter: query.shopFilter(at: now))
        _ = query.flag("nearlyFull")
        try query.verdict()
        return search
    }

    private static func shopSearch(_ request: Request, now: Instant) throws -> ShopSearch {
        var query = QueryReader(request)
        let near = query.near()
        let search = ShopSearch(
            near: near, text: query.searchedText(), filter: query.shopFilter(at: now), sort: query.sort(near: near, among: shopSorts))
        _ = query.flag("nearlyFull")
        try query.verdict()
        return search
    }

    /// The list's name contains the parameters, so that a cursor is valid only for the same values. A parameter that is newer than some
    /// cursors is named only if it is there.
    private func page(
        _ size: PageRequest, of list: String, _ request: Request, _ parameters: [String], by holder: AccountID?
    ) throws(Problem) -> ListPage {
        let query = QueryReader(request)
        let values = parameters.filter { !Self.filters.contains($0) || query.text($0) != nil }.map { "\($0)=\(query.text($0) ?? "")" }
        return try resources.page(size, of: list + " " + (values + [holder?.text].compactMap(\.self)).joined(separator: "\u{0}"))
    }

    private static let filters = ["open", "minRating", "nearlyFull"]
    private static let shopSorts: [DiscoverySort] = [.distance, .newest, .rating]

    private static func shopSort(_ request: Request) -> [String] { QueryReader(request).text("sort") == nil ? [] : ["sort"] }

    /// The account among whose nearly full cards to search; nil without that filter.
    ///
    /// - Throws: `unauthenticated`.
    private static func holder(_ request: Request, _ viewer: AccountID?) throws(Problem) -> AccountID? {
        guard QueryReader(request).text("nearlyFull") == "true" else { return nil }
        guard let viewer else { throw Problem(.unauthenticated) }
        return viewer
    }

    private func nearlyFull(
        _ request: Request, of holder: AccountID, at now: Instant
    ) async throws -> (campaigns: [CampaignID], shops: [ShopID]) {
        try await resources.awaitPosition(of: request, by: holder, in: CardProgress.name)
        return try resources.service.models.cards.nearlyFull(of: holder, at: now)
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

    /// `open=true` and `minRating=STARS`. False restricts nothing.
    mutating func shopFilter(at now: Instant) -> ShopFilter {
        let isOpen = flag("open") ?? false
        let minRating = value("minRating", .stars(MinRating.stars)) { text in Self.decimal(text[...]).flatMap { MinRating(stars: $0) } }
        return ShopFilter(openAt: isOpen ? now : nil, minRating: minRating)
    }

    /// By default, by distance from a named place, else newest first.
    mutating func sort(near: Near?, among sorts: [DiscoverySort] = DiscoverySort.allCases) -> DiscoverySort {
        let sort = value("sort", .oneOf(sorts.map(\.rawValue))) { text in sorts.first { $0.rawValue == text } }
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
