import CommandService
import HTTPTypes
import Hummingbird
import Loyalty
import LoyaltyCodec
import NIOCore
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
        let language = PageLanguage(request)
        guard let text = context.parameters.get("id"), let id = CampaignID(text: text),
            let (campaign, shop) = try resources.service.reading({ past in
                try past.campaign(id).flatMap { campaign in try past.shop(campaign.shop).map { (campaign, $0) } }
            })
        else { return .missingPage(in: language) }
        let shown = try resources.service.opened(shop)
        return .page(
            WebPage(
                campaign: try resources.service.opened(campaign, of: shown), of: shown, now: resources.now, url: address(id),
                image: picture(campaign.image ?? shop.images.first),
                in: language),
            isShared: true)
    }

    /// A stamp code's eight characters, or a shop's id; no id is as short.
    private func shopOrStampCode(_ request: Request, _ context: APIContext) async throws -> Response {
        let language = PageLanguage(request)
        guard let text = context.parameters.get("id") else { return .missingPage(in: language) }
        if let id = ShopID(text: text) { return try shop(id, language) }
        guard let code = TypedCode(typed: text) else { return .missingPage(in: language) }
        return .page(.stampCode(code.text, in: language), isShared: false)
    }

    private func redemptionCode(_ request: Request, _ context: APIContext) async throws -> Response {
        let language = PageLanguage(request)
        guard let code = context.parameters.get("id").flatMap({ TypedCode(typed: $0) }) else { return .missingPage(in: language) }
        return .page(.redemptionCode(code.text, in: language), isShared: false)
    }

    private func shop(_ id: ShopID, _ language: PageLanguage) throws -> Response {
        let now = resources.now
        guard let (shop, campaigns) = try resources.service.reading({ past in try past.shop(id).map { ($0, try past.campaigns(of: id)) } })
        else { return .missingPage(in: language) }
        let shown = campaigns.filter { !$0.isOver(at: now) }.suffix(Self.campaignsMax).reversed()
        let page = WebPage(
            shop: try resources.service.opened(shop),
            campaigns: try shown.map { (try resources.service.opened($0, of: shop), address($0.id)) },
            url: resources.publicURL + "/s/" + id.text,
            image: picture(shop.images.first), in: language)
        return .page(page, isShared: true)
    }

    private func picture(_ id: ImageID?) -> String? { id.map { resources.publicURL + "/v1/images/" + $0.text } }

    private func address(_ campaign: CampaignID) -> String {
        resources.publicURL + "/c/" + campaign.text
    }
}

extension PageLanguage {
    fileprivate init(_ request: Request) {
        switch Language(accepting: request.headers[.acceptLanguage]) {
        case .english: self = .english
        case .chinese: self = .chinese
        }
    }
}

extension Response {
    /// Seconds that a shared page may be kept on the way.
    private static let sharedPageSecondsMax = 60

    /// A page for people.
    ///
    /// - Parameter isShared: whether anybody may keep it; what shows a code nobody may.
    static func page(_ page: WebPage, isShared: Bool, status: HTTPResponse.Status = .ok) -> Response {
        let headers: HTTPFields = [
            .contentType: ContentTypes.html, .contentSecurityPolicy: WebPage.securityPolicy, .xContentTypeOptions: "nosniff",
            .vary: "Accept-Language", .cacheControl: isShared ? "public, max-age=\(sharedPageSecondsMax)" : "no-store",
            // The address of a code's page is the code; those whom the page links to are not to learn it.
            .referrerPolicy: "no-referrer",
        ]
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: page.html)))
    }

    static func missingPage(in language: PageLanguage) -> Response {
        page(.notFound(in: language), isShared: false, status: .notFound)
    }
}
