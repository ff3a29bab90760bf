import Loyalty
import ReadModels
import Search

/// The answer that shows a campaign with its shop.
struct CampaignAnswer: JSONWritable {
    /// The campaign, with its texts decrypted.
    let campaign: Campaign
    let shop: Shop
    /// The other shops at which the campaign is valid, with decrypted contact data; empty in lists of shops, and in answers to writes about
    /// a shop. If the answer is to a manager and about this campaign alone, these are all other shops that the campaign names.
    var shops: [SharedShopAnswer] = []
    /// The moment for which the answer states whether the campaign runs.
    let now: Instant
    /// Whether the answer has the details, the caps, the rating and the links. Lists leave these out.
    var withDetails = true
    /// The shop's rating; `nil` in lists, and in answers that a retry must get unchanged, such as answers to writes.
    var rating: Rating?
    /// The campaign's standing, such as its favourite count, at present. An answer that a retry must get unchanged has the standing at the
    /// write.
    var standing = Standing.new
    /// The distance from the place that the request names; `nil` if it names none.
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
            // For a campaign that was ended early, the answer has the moment of the early end.
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
    /// The names of all kinds of campaigns, for error messages.
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
