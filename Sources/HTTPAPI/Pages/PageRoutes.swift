import CommandService
import Composition
import Hummingbird
import Loyalty
import LoyaltyCodec
import ReadModels
import Search
import WebPages

/// The routes of the pages behind shared links and scanned codes, which need no account.
struct PageRoutes: RouteGroup {
    /// Campaigns on a shop's page; the shop's own newest precede those of other shops.
    private static let campaignsMax = 20
    private static let reviewsMax = 10

    let resources: Resources

    var routes: [Route] {
        [
            .get("/c/{id}", campaign), .get("/s/{id}", shopOrStampCode), .get("/r/{id}", redemptionCode), .get("/b/{id}", badge),
            .get("/p/{id}", paper),
        ]
    }

    private func campaign(_ request: Request, _ context: APIContext) async throws -> Response {
        guard let id = context.parameters.get("id").flatMap({ CampaignID(text: $0) }) else {
            return .missingPage(in: resources.frame(of: request))
        }
        return try await resources.kept.pages.page(request, at: "/c/" + id.text, resources) { try campaign(id, $0) }
    }

    private func campaign(_ id: CampaignID, _ request: Request) throws -> Response {
        let frame = resources.frame(of: request)
        let found = try resources.service.reading { past in
            try past.campaign(id).flatMap { campaign in try past.shop(campaign.shop).map { (campaign, $0) } }
        }
        guard let (campaign, shop) = found else { return .missingPage(in: frame) }
        let shown = try resources.service.opened(shop)
        let view = WebPage.CampaignView(
            campaign: try resources.service.opened(campaign, of: shown), shop: shown,
            shops: try resources.knownShops().sharing(campaign).map(\.shop), rating: try resources.ratingView(of: shop.id),
            favorites: try resources.service.discovery.standings(of: [id], for: nil)[id]?.favorites ?? 0,
            image: try resources.shownPicture(campaign.image, or: shop), logo: try resources.shownPicture(shop.look.logo),
            clock: resources.clock(of: shop))
        return .page(.campaign(view, in: frame), .shared)
    }

    /// A stamp code has eight characters; a shop's id is always longer.
    private func shopOrStampCode(_ request: Request, _ context: APIContext) async throws -> Response {
        let frame = resources.frame(of: request)
        guard let text = context.parameters.get("id") else { return .missingPage(in: frame) }
        if let id = ShopID(text: text) {
            return try await resources.kept.pages.page(request, at: "/s/" + id.text, reading: ["reviews"], resources) {
                try shop(id, $0)
            }
        }
        guard let code = TypedCode(typed: text) else { return .missingPage(in: frame) }
        return .page(.stampCode(code.text, in: frame), .secret)
    }

    private func redemptionCode(_ request: Request, _ context: APIContext) async throws -> Response {
        let frame = resources.frame(of: request)
        guard let code = context.parameters.get("id").flatMap({ TypedCode(typed: $0) }) else { return .missingPage(in: frame) }
        return .page(.redemptionCode(code.text, in: frame), .secret)
    }

    /// The same page for each text that could be a badge, because only a counter may learn whether it is one.
    private func badge(_ request: Request, _ context: APIContext) async throws -> Response {
        let frame = resources.frame(of: request)
        guard let text = context.parameters.get("id"), BadgeSeal.couldBeBadge(text) else { return .missingPage(in: frame) }
        return .page(.badge(in: frame), .secret)
    }

    /// The same page for each text that could be such a code.
    private func paper(_ request: Request, _ context: APIContext) async throws -> Response {
        let frame = resources.frame(of: request)
        guard let code = context.parameters.get("id").flatMap({ PaperCode(typed: $0) }) else { return .missingPage(in: frame) }
        return .page(.paper(code.text, in: frame), .secret)
    }

    private func shop(_ id: ShopID, _ request: Request) throws -> Response {
        let frame = resources.frame(of: request)
        guard let shop = try resources.service.reading({ try $0.shop(id) }) else { return .missingPage(in: frame) }
        let (reviews, older, isContinued) = try reviews(of: shop, request)
        var shown = try resources.service.opened(shop)
        shown.images = try shown.images.filter { try resources.service.hasImage($0) }
        let running = try resources.openCampaigns(at: id, limit: Self.campaignsMax) { campaign in
            try resources.existing { try $0.campaign(campaign) }
        }
        let known = resources.knownShops()
        let view = WebPage.ShopView(
            shop: shown, rating: try resources.ratingView(of: id),
            campaigns: try running.map { campaign in
                let home = campaign.shop == id ? shown : try known.shop(campaign.shop)
                return FoundItem(
                    campaign: try resources.service.opened(campaign, of: home), of: home,
                    others: try known.sharing(campaign).map(\.shop),
                    image: try resources.shownPicture(campaign.image),
                    distanceMillimeters: nil, in: frame.language)
            },
            reviews: reviews, olderReviews: older, isContinued: isContinued, logo: try resources.shownPicture(shop.look.logo),
            clock: resources.clock(of: shop))
        return .page(.shop(view, in: frame), .shared)
    }

    /// A page of reviews, the next cursor (also valid in the API), and whether it is not the first page.
    private func reviews(of shop: Shop, _ request: Request) throws -> ([ReviewView], String?, Bool) {
        let size = PageRequest(limit: Self.reviewsMax, cursor: QueryReader(request).text("reviews"))
        let page = try resources.page(size, of: ReviewRoutes.listName(of: shop.id))
        let found = try resources.service.models.ratings.reviews(of: shop.id, before: page.position, limit: page.limit)
        var authors = Authors(at: shop, resources)
        let views = try found.threads.map { try view($0, &authors) }
        return (views, page.cursor(found.next), page.position != nil)
    }

    private func view(_ thread: ReviewThread, _ authors: inout Authors) throws -> ReviewView {
        let author = try authors.author(thread.author)
        return ReviewView(
            author: ReviewView.Author(name: author.nickname, avatar: try resources.shownPicture(author.avatar), isShop: author.isShop),
            text: try resources.text(thread.text, as: thread.review.parent == nil ? .reviewText : .replyText, of: thread.author),
            rating: thread.rating, isVerified: thread.isVerified, isRemoved: thread.isRemoved, at: thread.at,
            replies: try thread.replies.map { try view($0, &authors) })
    }
}

extension Resources {
    /// Nil if the picture was taken down.
    func shownPicture(_ id: ImageID?) throws -> String? {
        guard let id, try service.hasImage(id) else { return nil }
        return "/v1/images/" + id.text
    }

    /// The path of a campaign's picture, else of the shop's first one; nil if none exists.
    func shownPicture(_ id: ImageID?, or shop: Shop) throws -> String? {
        if let path = try shownPicture(id) { return path }
        for image in shop.images {
            if let path = try shownPicture(image) { return path }
        }
        return nil
    }

    fileprivate func clock(of shop: Shop) -> ShopClock {
        let zone = shop.reportZone
        return ShopClock(now: now) { zone.secondsAhead(at: $0) }
    }

    fileprivate func ratingView(of shop: ShopID) throws -> RatingView {
        let rating = try service.models.ratings.rating(of: shop)
        return RatingView(average: rating.average, count: rating.count, histogram: rating.histogram)
    }
}
