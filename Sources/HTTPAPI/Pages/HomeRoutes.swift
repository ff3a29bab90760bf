import Audit
import CommandService
import Composition
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec
import Merkle
import NIOCore
import Search
import Synchronization
import WebPages

/// The routes of the home page, the pages about proofs and components, and well-known addresses.
struct HomeRoutes: RouteGroup {
    /// Items on one page of the list.
    private static let itemsMax = 20

    let resources: Resources

    var routes: [Route] {
        [
            .get("/", home),
            .get("/proof", proof), .get("/robots.txt", robots), .get("/sitemap.xml", siteMaps),
            .get("/sitemap/{name}", siteMap), .get("/.well-known/change-password", changePassword), .get("/operate/style", style),
        ]
    }

    private static let parameters = ["list", "kind", "sort", "open", "near", "radius", "q", "cursor"]

    /// Programs get the addresses of the description and the health check. A page that is not kept is a search's answer, so it needs a
    /// search slot.
    private func home(_ request: Request, _ context: APIContext) async throws -> Response {
        guard request.isForPeople else {
            let url = resources.publicURL
            let places: JSONFields = [
                "service": "GreenTea", "description": url + "/openapi.json", "documentation": url + "/docs", "health": url + "/healthz",
            ]
            return Response.ok(places).with(.vary, "Accept")
        }
        return try await resources.kept.pages.page(request, at: "/", reading: Self.parameters, resources) { page in
            try await resources.withSearchSlot(context) { try home(page, context.cost) }
        }
    }

    private func home(_ request: Request, _ cost: RequestCost) throws -> Response {
        let frame = resources.frame(of: request)
        var reader = QueryReader(request)
        let near = reader.near()
        let text = reader.searchedText()
        let kind: CampaignKind? = reader.choice("kind")
        let sort = reader.sort(near: near)
        let list: HomeQuery.List = reader.choice("list") ?? .campaigns
        let isOpen = reader.flag("open") ?? false
        try reader.verdict()
        let now = resources.now
        let filter = ShopFilter(openAt: isOpen ? now : nil)
        let query = HomeQuery(list: list, text: text, kind: kind, sort: reader.text("sort"), near: reader.text("near"), isOpen: isOpen)
        let name =
            "home "
            + [list.rawValue, reader.text("kind"), reader.text("sort"), reader.text("near"), reader.text("q")]
            .map { $0 ?? "" }.joined(separator: "\u{0}") + (isOpen ? "\u{0}open" : "")
        let page = try resources.page(PageRequest(limit: Self.itemsMax, cursor: reader.text("cursor")), of: name)
        let after = page.discovered
        let (items, next): ([FoundItem], DiscoveryCursor?) =
            switch list {
            case .campaigns:
                try campaigns(
                    CampaignSearch(near: near, kind: kind, text: text, isRunning: true, now: now, sort: sort, filter: filter), after, frame,
                    cost)
            case .shops:
                try shops(ShopSearch(near: near, text: text, filter: filter, sort: sort == .rating ? .rating : nil), after, frame, cost)
            }
        return .page(
            .home(query, items, next: page.cursor(next?.packed), around: near?.center, in: frame),
            .shared)
    }

    private func campaigns(
        _ search: CampaignSearch, _ after: DiscoveryCursor?, _ frame: PageFrame, _ cost: RequestCost
    ) throws -> ([FoundItem], DiscoveryCursor?) {
        let found = try resources.service.discovery.campaigns(search, after: after, limit: Self.itemsMax)
        cost.addSearch(found: found.items.count, looks: found.looks)
        let known = resources.knownShops()
        let items = try found.items.map { item in
            let campaign = try resources.existing { try $0.campaign(item.id) }
            let shop = try known.shop(campaign.shop)
            return FoundItem(
                campaign: try resources.service.opened(campaign, of: shop), of: shop,
                others: try known.sharing(campaign).map(\.shop),
                image: try resources.shownPicture(campaign.image, or: shop), distanceMillimeters: item.distanceMillimeters,
                in: frame.language)
        }
        return (items, found.next)
    }

    private func shops(
        _ search: ShopSearch, _ after: DiscoveryCursor?, _ frame: PageFrame, _ cost: RequestCost
    ) throws -> ([FoundItem], DiscoveryCursor?) {
        let found = try resources.service.discovery.shops(search, after: after, limit: Self.itemsMax)
        let open = try resources.service.discovery.openCounts(of: found.items.map(\.id), at: resources.now, limit: Self.itemsMax)
        cost.addSearch(found: found.items.count, looks: found.looks + open.looks)
        let items = try found.items.map { item in
            let shop = try resources.shop(item.id)
            return FoundItem(
                shop: shop, running: open.counts[item.id] ?? 0, image: try resources.shownPicture(nil, or: shop),
                distanceMillimeters: item.distanceMillimeters, in: frame.language)
        }
        return (items, found.next)
    }

    private func proof(_ request: Request, _ context: APIContext) async throws -> Response {
        let latest = resources.service.checkpoint
        let log = WebPage.LogView(
            checkpoint: String(decoding: latest.note.bytes, as: UTF8.self), key: resources.service.checkpoints.verifierKey.text,
            size: latest.checkpoint.size, audit: auditView)
        return .page(.proof(log, in: resources.frame(of: request)), .secret)
    }

    /// The auditor's finding; nil if no auditor runs.
    private var auditView: WebPage.AuditView? {
        guard let models = resources.configuration.audit?().models else { return nil }
        let wrong = models.filter { $0.mismatch != nil }.map(\.name)
        if !wrong.isEmpty { return .differs(wrong) }
        let compared = models.compactMap(\.position)
        guard compared.count == models.count, let least = compared.min() else { return .beginning }
        return .equal(models: models.count, through: least.rawValue)
    }

    private func style(_ request: Request, _ context: APIContext) async throws -> Response {
        .page(.style(in: resources.frame(of: request)), .shared)
    }

    // MARK: - For programs that read pages

    /// Keeps search engines from pages of codes, badges and paper cards, which concern only their holders. Pictures are allowed, for
    /// previews. Stamp codes share `/s/` with shops, so their pages forbid listing themselves.
    private func robots(_ request: Request, _ context: APIContext) async throws -> Response {
        let lines = [
            "User-agent: *", "Allow: /v1/images/", "Disallow: /v1/", "Disallow: /r/", "Disallow: /b/", "Disallow: /p/",
            "Disallow: /language",
            "Sitemap: \(resources.publicURL)/sitemap.xml",
        ]
        return .text(lines.map { $0 + "\n" }.joined(), "text/plain; charset=utf-8")
    }

    private func siteMaps(_ request: Request, _ context: APIContext) async throws -> Response {
        let maps = HomeQuery.List.allCases.map { "<sitemap><loc>\(resources.publicURL)/sitemap/\($0.rawValue).xml</loc></sitemap>\n" }
        return .text(SiteMap.document("sitemapindex", maps.joined()), SiteMap.contentType)
    }

    private func siteMap(_ request: Request, _ context: APIContext) async throws -> Response {
        let name = context.parameters.get("name")
        guard let list = HomeQuery.List.allCases.first(where: { $0.rawValue + ".xml" == name }) else { throw Problem(.notFound) }
        let (discovery, now, limit) = (resources.service.discovery, resources.now, Limits.pageItems.upperBound)
        let addresses = try resources.kept.siteMaps.addresses(of: list, at: resources.steadyNow) { after in
            switch list {
            case .campaigns:
                let found = try discovery.campaigns(CampaignSearch(isRunning: true, now: now), after: after, limit: limit)
                return SiteMaps.Part(addresses: found.items.map { "/c/" + $0.id.text }, next: found.next, looks: found.looks)
            case .shops:
                let found = try discovery.shops(ShopSearch(), after: after, limit: limit)
                return SiteMaps.Part(addresses: found.items.map { "/s/" + $0.id.text }, next: found.next, looks: found.looks)
            }
        }
        let entries = addresses.map { "<url><loc>\(resources.publicURL)\($0)</loc></url>\n" }
        return .text(SiteMap.document("urlset", entries.joined()), SiteMap.contentType)
    }

    /// W3C, "A Well-Known URL for Changing Passwords".
    private func changePassword(_ request: Request, _ context: APIContext) async throws -> Response {
        Response(status: .seeOther, headers: [.location: "/me#password", .cacheControl: "no-store"])
    }
}

/// Site maps (sitemaps.org). Paths contain only names and ids, which XML need not escape.
enum SiteMap {
    static let contentType = "application/xml; charset=utf-8"

    static func document(_ root: String, _ content: String) -> String {
        let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        return head + "<\(root) xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n\(content)</\(root)>\n"
    }
}

extension Response {
    /// Caches may keep it for an hour.
    fileprivate static func text(_ text: String, _ contentType: String) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: contentType, .cacheControl: "public, max-age=3600", .xContentTypeOptions: "nosniff"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

/// A cache of a minute for site maps, which anyone may request; caches may keep one for an hour anyway. The search has a limit of rows,
/// because a page of the search may be empty and still have a next one.
final class SiteMaps: Sendable {
    struct Part {
        let addresses: [String]
        let next: DiscoveryCursor?
        /// Visited rows of the search model.
        let looks: Int
    }

    private struct Kept {
        let addresses: [String]
        let until: Instant
    }

    private let kept = Mutex<[HomeQuery.List: Kept]>([:])

    /// The newest addresses, at most ``Limits/siteMapItemsMax``. Concurrent requests wait for the first one.
    ///
    /// - Parameters:
    ///   - now: by the steady clock.
    ///   - part: finds the page after a cursor.
    func addresses(of list: HomeQuery.List, at now: Instant, _ part: (DiscoveryCursor?) throws -> Part) throws -> [String] {
        try kept.withLock { kept in
            if let known = kept[list], now < known.until { return known.addresses }
            let found = try Self.walk(part)
            kept[list] = Kept(addresses: found, until: now.advanced(bySeconds: Limits.siteMapSeconds))
            return found
        }
    }

    private static func walk(_ part: (DiscoveryCursor?) throws -> Part) throws -> [String] {
        var (addresses, after, looks): ([String], DiscoveryCursor?, Int) = ([], nil, 0)
        repeat {
            let found = try part(after)
            addresses += found.addresses
            after = found.next
            looks += found.looks
        } while after != nil && addresses.count < Limits.siteMapItemsMax && looks < Limits.siteMapLooksMax
        return Array(addresses.prefix(Limits.siteMapItemsMax))
    }
}
