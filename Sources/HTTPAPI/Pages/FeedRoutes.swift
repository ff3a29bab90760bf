import CommandService
import Composition
import Crypto
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec
import Merkle
import NIOCore
import ReadModels
import Search
import WebPages

/// The Atom feeds: of a shop, its campaigns that are not over and its notices to all its customers; around a place, running campaigns and
/// the operator's notices to everybody. Both have the newest ``Limits/feedEntries``, by last change.
///
/// A reader may name the least position, as in the API. `If-Modified-Since` is ignored: a campaign that ends leaves a feed without a newer
/// date, so only `ETag` tells whether it is the same.
struct FeedRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] { [.get("/s/{id}/feed.atom", ofShop), .get("/feed.atom", nearby)] }

    private func ofShop(_ request: Request, _ context: APIContext) async throws -> Response {
        let id: ShopID = try context.id()
        try await resources.awaitPosition(of: request, in: Discovery.name, Notices.name)
        let shop = try resources.service.opened(try resources.shop(id))
        // A suspended or closed shop has no news, and its feed stays for those who read it.
        let isShown = !shop.isSuspended && shop.closing == nil
        let entries = isShown ? try campaigns(at: shop) + notices(.shop(id), byShop: shop) : []
        let page = resources.publicURL + "/s/" + id.text
        let title = shop.name.isEmpty ? id.text : shop.name
        return answer(
            AtomFeed(
                name: id.text, title: title, author: title, address: page + "/feed.atom", page: page, since: shop.openedAt,
                entries: newest(entries)), to: request)
    }

    private func nearby(_ request: Request, _ context: APIContext) async throws -> Response {
        var query = QueryReader(request)
        let near = query.near()
        if query.text("near") == nil { query.complain("near", .required) }
        try query.verdict()
        guard let near else { throw Problem.invalid("near", .required) }
        try await resources.awaitPosition(of: request, in: Discovery.name, Notices.name)
        return try await resources.withSearchSlot(context) {
            let search = CampaignSearch(near: near, isRunning: true, now: resources.now, sort: .newest)
            let found = try resources.service.discovery.campaigns(search, limit: Limits.feedEntries)
            context.cost.addSearch(found: found.items.count, looks: found.looks)
            let known = resources.knownShops()
            let campaigns = try await found.items.mapInTurns { item in
                let campaign = try resources.existing { try $0.campaign(item.id) }
                return try entry(campaign, at: known.shop(campaign.shop))
            }
            let place = "\(near.center.latitude),\(near.center.longitude)"
            let radius = Int(near.radiusMeters.rounded())
            let page = resources.publicURL + "/?near=\(place)"
            let feed = AtomFeed(
                name: "near/\(place)/\(radius)", title: "GreenTea · \(place)", author: "GreenTea",
                address: resources.publicURL + "/feed.atom?near=\(place)&radius=\(radius)", page: page, since: Limits.feedsSince,
                entries: newest(campaigns.compactMap(\.self) + (try notices(.all, byShop: nil))))
            return answer(feed, to: request)
        }
    }

    private func newest(_ entries: [AtomFeed.Entry]) -> [AtomFeed.Entry] {
        Array(entries.sorted { ($0.at, $0.name) > ($1.at, $1.name) }.prefix(Limits.feedEntries))
    }

    private func campaigns(at shop: Shop) throws -> [AtomFeed.Entry] {
        let known = resources.knownShops()
        return try resources.openCampaigns(at: shop.id, limit: Limits.feedEntries) { id in try resources.existing { try $0.campaign(id) } }
            .compactMap { try entry($0, at: $0.shop == shop.id ? shop : known.shop($0.shop)) }
    }

    /// Nil if the shop's texts were erased.
    private func entry(_ campaign: Campaign, at shop: Shop) throws -> AtomFeed.Entry? {
        let shown = try resources.service.opened(campaign, of: shop)
        guard let title = shown.title.open, !title.isEmpty else { return nil }
        let texts = [shown.details.open ?? "", shown.reward.open ?? ""].filter { !$0.isEmpty }
        return AtomFeed.Entry(
            name: campaign.id.text, title: title, text: texts.joined(separator: "\n"), author: shop.name.isEmpty ? nil : shop.name,
            page: resources.publicURL + "/c/" + campaign.id.text, at: try time(of: campaign.version))
    }

    /// Without those whose author was erased.
    private func notices(_ audience: NoticeAudience, byShop shop: Shop?) throws -> [AtomFeed.Entry] {
        let page = resources.publicURL + (shop.map { "/s/" + $0.id.text } ?? "/")
        return try resources.service.models.notices.posted(to: audience, limit: Limits.feedEntries).compactMap { notice in
            guard let title = try resources.text(notice.title, as: .noticeTitle, of: notice.author) else { return nil }
            return AtomFeed.Entry(
                name: notice.id.text, title: title, text: try resources.text(notice.text, as: .noticeText, of: notice.author) ?? "",
                author: shop?.name, page: page, at: notice.at)
        }
    }

    private func time(of position: UInt64) throws -> Instant {
        let time = try resources.service.log.withRecord(at: Position(position)) { $0.time.microseconds }
        return Instant(microseconds: time ?? 0)
    }

    /// 304 if the client has exactly this feed.
    private func answer(_ feed: AtomFeed, to request: Request) -> Response {
        let body = ByteBuffer(string: feed.document)
        let tag = "\"\(Hexadecimal.text(SHA256.hash(data: [UInt8](body.readableBytesView)).prefix(16)))\""
        let date = HTTPDate.text(feed.updatedAt)
        var response = Response(
            status: .ok,
            headers: [
                .contentType: AtomFeed.contentType, .cacheControl: "public, max-age=300", .eTag: tag, .lastModified: date,
                .xContentTypeOptions: "nosniff",
            ], body: ResponseBody(byteBuffer: body))
        if EntityTag.isKnown(tag, by: request) {
            response.headers[.contentType] = nil
            response = Response(status: .notModified, headers: response.headers)
        }
        return response
    }
}

/// The date of a header (RFC 9110, 5.6.7), such as `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
    private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    static func text(_ moment: Instant) -> String {
        // `2026-11-21T18:00:00.000Z` has the numbers.
        let text = moment.rfc3339
        let parts = text.split { "-T:.".contains($0) }
        guard parts.count >= 6, let month = Int(parts[1]), months.indices.contains(month - 1) else { return text }
        let day = days[LocalTime(of: moment, secondsAhead: 0).day]
        return "\(day), \(parts[2]) \(months[month - 1]) \(parts[0]) \(parts[3]):\(parts[4]):\(parts[5].prefix(2)) GMT"
    }
}
