import CommandService
import Composition
import EventLog
import Loyalty
import LoyaltyCodec
import ReadModels

/// Elements of an export of an account's data.
enum ExportAnswer {
    static func fields(_ shop: Shop, closingReason: String?) -> JSONFields {
        let state: JSONFields = [
            "id": shop.id, "name": shop.name, "phone": shop.phone, "address": shop.address, "location": shop.location,
            "openedAt": shop.openedAt, "closedAt": shop.closing?.closedAt, "redeemUntil": shop.closing?.redeemUntil,
            "closingReason": closingReason, "images": shop.images,
        ]
        return state + shop.schedule.fields
    }

    /// A campaign whose texts are decrypted, in the terms that it has now.
    static func fields(_ campaign: Campaign) -> JSONFields {
        let terms: JSONFields = [
            "id": campaign.id, "shop": campaign.shop, "kind": campaign.kind.text, "title": campaign.title.open,
            "details": campaign.details.open, "image": campaign.image, "goal": campaign.shownGoal, "reward": campaign.shownReward,
            "startsAt": campaign.startsAt, "endsAt": campaign.endsAt, "endedAt": campaign.endedAt,
        ]
        let shops = campaign.options.shops
        let rest: JSONFields = [
            "shops": IfPresent(shops.isEmpty ? nil : shops), "stampsPerDayMax": campaign.caps.stampsPerDayMax,
            "minimumGapSeconds": campaign.caps.minimumGapSeconds,
        ]
        return terms + campaign.options.fields + rest
    }
}

extension NoticeStatus {
    var text: String {
        switch self {
        case .scheduled: "scheduled"
        case .posted: "posted"
        case .withdrawn: "withdrawn"
        case .lapsed: "lapsed"
        }
    }
}
