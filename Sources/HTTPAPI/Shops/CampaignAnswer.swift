import Loyalty
import ReadModels
import Search

/// A campaign with its shop.
struct CampaignAnswer: JSONWritable {
    let campaign: Campaign
    let shop: Shop
    /// The other shops where the campaign is valid; empty in lists of shops and writes about a shop. A manager sees all that the campaign
    /// names.
    var shops: [SharedShopAnswer] = []
    /// Decides whether the campaign runs.
    let now: Instant
    /// Lists leave out details, caps, rating and links.
    var withDetails = true
    /// Nil in lists, and in answers that a retry must get unchanged.
    var rating: Rating?
    /// At present, or at the write if a retry must get it unchanged.
    var standing = Standing.new
    /// Nil if the request names no place.
    var distanceMillimeters: Int?

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("id", campaign.id)
            $0.field("kind", campaign.kind.text)
            $0.field("title", campaign.title.open ?? "")
            $0.object("shop", writeShop)
            $0.field("image", campaign.image)
            if let distanceMillimeters { $0.field("distance", Double(distanceMillimeters) / 1_000) }
            $0.field("goal", campaign.kind == .stampCard ? campaign.goal : nil)
            $0.field("reward", campaign.reward.open.flatMap { $0.isEmpty ? nil : $0 })
            $0.field("favorites", standing.favorites)
            if let isFavorite = standing.isFavorite { $0.field("isFavorite", isFavorite) }
            $0.field("startsAt", campaign.startsAt)
            // An early end counts.
            $0.field("endsAt", min(campaign.endsAt, campaign.endedAt ?? campaign.endsAt))
            campaign.options.write(to: &$0)
            if !shops.isEmpty { $0.array("shops", shops) }
            $0.field("running", campaign.isRunning(at: now) && !shop.isSuspended)
            if withDetails { writeDetails(to: &$0) }
        }
    }

    private func writeShop(to json: inout JSONWriter) {
        json.field("id", shop.id)
        json.field("name", shop.name)
        json.field("address", shop.address)
        if let place = shop.location { json.field("location", CoordinateAnswer(coordinate: place)) } else { json.null("location") }
        if withDetails, let rating {
            json.field("rating", rating.average)
            json.field("reviewCount", rating.count)
        }
    }

    private func writeDetails(to json: inout JSONWriter) {
        json.field("details", campaign.details.open ?? "")
        json.field("stampsPerDayMax", campaign.caps.stampsPerDayMax)
        json.field("minimumGapSeconds", campaign.caps.minimumGapSeconds)
        if let rating {
            json.field("rating", rating.average)
            json.field("reviewCount", rating.count)
        }
        if let place = shop.location { json.field("links", LinksAnswer(name: shop.name, place: place)) } else { json.null("links") }
    }
}

extension CampaignKind {
    static let texts = ["stampCard", "promotion", "coupon"]

    init?(text: String) {
        switch text {
        case "stampCard": self = .stampCard
        case "promotion": self = .promotion
        case "coupon": self = .coupon
        default: return nil
        }
    }

    var text: String {
        switch self {
        case .stampCard: "stampCard"
        case .promotion: "promotion"
        case .coupon: "coupon"
        }
    }
}
