import Loyalty
import ReadModels
import Search
import WebPages

/// A campaign with its shop.
struct CampaignAnswer: JSONRecord {
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

    var fields: JSONFields {
        // An early end counts.
        let end = min(campaign.endsAt, campaign.endedAt ?? campaign.endsAt)
        let title: JSONFields = [
            "id": campaign.id, "kind": campaign.kind.text, "title": campaign.title.open ?? "", "shop": shopFields, "image": campaign.image,
            "distance": IfPresent(distanceMillimeters.map { Double($0) / 1_000 }),
        ]
        let terms: JSONFields = [
            "goal": campaign.shownGoal, "reward": campaign.shownReward, "favorites": standing.favorites,
            "isFavorite": IfPresent(standing.isFavorite), "startsAt": campaign.startsAt, "endsAt": end,
        ]
        let state: JSONFields = [
            "shops": IfPresent(shops.isEmpty ? nil : shops), "running": campaign.isRunning(at: now) && !shop.isSuspended,
        ]
        return title + terms + campaign.options.fields + state + (withDetails ? details : [:])
    }

    private var shopFields: JSONFields {
        ["id": shop.id, "name": shop.name, "address": shop.address, "location": shop.location] + (withDetails ? ratingFields : [:])
    }

    private var ratingFields: JSONFields { ["rating": IfPresent(rating.map(\.average)), "reviewCount": IfPresent(rating?.count)] }

    private var details: JSONFields {
        let terms: JSONFields = [
            "details": campaign.details.open ?? "", "stampsPerDayMax": campaign.caps.stampsPerDayMax,
            "minimumGapSeconds": campaign.caps.minimumGapSeconds,
        ]
        return terms + ratingFields + ["links": shop.location.map { MapLinks(name: shop.name, at: $0) }]
    }
}

extension Campaign {
    /// Only a stamp card has one.
    var shownGoal: Int? { kind == .stampCard ? self.goal : nil }

    var shownReward: String? { self.reward.open.flatMap { $0.isEmpty ? nil : $0 } }
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
