import CommandService
import HTTPTypes
import Hummingbird
import Loyalty
import LoyaltyCodec
import WebPages

/// Pages behind shared links and scanned codes. They have no prefix and need no account.
struct PageRoutes {
    /// Campaigns shown on a shop's page, the newest of those that are not over.
    private static let campaignsMax = 20

    let resources: Resources

    var routes: [Route] {
        [.get("/c/{id}", campaign), .get("/s/{id}", shopOrStampCode), .get("/r/{id}", redemptionCode)]
    }

    private func campaign(_ request: Request, _ context: APIContext) async throws -> Response {
        let frame = resources.frame(of: request).at(.discover)
        guard let text = context.parameters.get("id"), let id = CampaignID(text: text),
            let (campaign, shop) = try resources.service.reading({ past in
                try past.campaign(id).flatMap { campaign in try past.shop(campaign.shop).map { (campaign, $0) } }
            })
        else { return .missingPage(in: frame) }
        let shown = try resources.service.opened(shop)
        return .page(
            WebPage(
                campaign: try resources.service.opened(campaign, of: shown), of: shown, now: resources.now, url: address(id),
                image: picture(campaign.image ?? shop.images.first), in: frame),
            .shared)
    }

    /// A stamp code's eight characters, or a shop's id; no id is as short.
    private func shopOrStampCode(_ request: Request, _ context: APIContext) async throws -> Response {
        let frame = resources.frame(of: request)
        guard let text = context.parameters.get("id") else { return .missingPage(in: frame) }
        if let id = ShopID(text: text) { return try shop(id, frame.at(.discover)) }
        guard let code = TypedCode(typed: text) else { return .missingPage(in: frame) }
        return .page(.stampCode(code.text, in: frame), .secret)
    }

    private func redemptionCode(_ request: Request, _ context: APIContext) async throws -> Response {
        let frame = resources.frame(of: request)
        guard let code = context.parameters.get("id").flatMap({ TypedCode(typed: $0) }) else { return .missingPage(in: frame) }
        return .page(.redemptionCode(code.text, in: frame), .secret)
    }

    private func shop(_ id: ShopID, _ frame: PageFrame) throws -> Response {
        let now = resources.now
        guard let (shop, campaigns) = try resources.service.reading({ past in try past.shop(id).map { ($0, try past.campaigns(of: id)) } })
        else { return .missingPage(in: frame) }
        let shown = campaigns.filter { !$0.isOver(at: now) }.suffix(Self.campaignsMax).reversed()
        let page = WebPage(
            shop: try resources.service.opened(shop),
            campaigns: try shown.map { (try resources.service.opened($0, of: shop), address($0.id)) },
            url: resources.publicURL + "/s/" + id.text, image: picture(shop.images.first), in: frame)
        return .page(page, .shared)
    }

    private func picture(_ id: ImageID?) -> String? { id.map { "/v1/images/" + $0.text } }

    private func address(_ campaign: CampaignID) -> String {
        resources.publicURL + "/c/" + campaign.text
    }
}
