import CommandService
import Composition
import EventLog
import Loyalty
import LoyaltyCodec
import ReadModels

/// The elements of the lists in an export of an account's data.
enum ExportAnswer {
    struct SessionLine {
        let id: SessionID
        let startedAt: Instant
        var expiresAt: Instant
        var endedAt: Instant?
    }

    struct PostLine {
        let id: ReviewID
        let shop: ShopID
        let parent: ReviewID?
        let rating: Int?
        let text: String?
        let at: Instant
    }

    struct FavoriteLine {
        let campaign: CampaignID
        let addedAt: Instant
    }

    struct ShopLine {
        let shop: Shop
        let closingReason: String?
    }

    struct PostedLine {
        let notice: NoticeAnswer
        let status: NoticeStatus
    }

    struct NoticeLine {
        let notice: NoticeAnswer
        let readAt: Instant?
    }

    static func write(_ line: ShopLine, to json: inout JSONWriter) {
        let shop = line.shop
        json.field("id", shop.id)
        json.field("name", shop.name)
        json.field("phone", shop.phone)
        json.field("address", shop.address)
        if let place = shop.location { json.field("location", CoordinateAnswer(coordinate: place)) } else { json.null("location") }
        json.field("openedAt", shop.openedAt)
        if let closing = shop.closing { json.field("closedAt", closing.closedAt) } else { json.null("closedAt") }
        if let closing = shop.closing { json.field("redeemUntil", closing.redeemUntil) } else { json.null("redeemUntil") }
        json.field("closingReason", line.closingReason)
        json.array("images", shop.images) { $0.value($1.text) }
        shop.schedule.writeFields(to: &json)
    }

    /// Writes a campaign whose texts are decrypted, in the terms that it has now.
    static func write(to json: inout JSONWriter, _ campaign: Campaign) {
        json.object {
            $0.field("id", campaign.id)
            $0.field("shop", campaign.shop)
            $0.field("kind", campaign.kind.text)
            $0.field("title", campaign.title.open)
            $0.field("details", campaign.details.open)
            $0.field("image", campaign.image)
            $0.field("goal", campaign.kind == .stampCard ? campaign.goal : nil)
            $0.field("reward", campaign.reward.open.flatMap { $0.isEmpty ? nil : $0 })
            $0.field("startsAt", campaign.startsAt)
            $0.field("endsAt", campaign.endsAt)
            if let end = campaign.endedAt { $0.field("endedAt", end) } else { $0.null("endedAt") }
            campaign.options.write(to: &$0)
            if !campaign.options.shops.isEmpty { $0.array("shops", campaign.options.shops) { $0.value($1.text) } }
            $0.field("stampsPerDayMax", campaign.caps.stampsPerDayMax)
            $0.field("minimumGapSeconds", campaign.caps.minimumGapSeconds)
        }
    }

    static func write(to json: inout JSONWriter, _ line: PostedLine) {
        json.object {
            line.notice.writeFields(to: &$0)
            $0.field("status", line.status.text)
        }
    }

    static func write(to json: inout JSONWriter, _ post: PostLine) {
        json.object {
            $0.field("id", post.id)
            $0.field("shop", post.shop)
            if let parent = post.parent { $0.field("parent", parent) } else { $0.field("rating", post.rating) }
            $0.field("text", post.text)
            $0.field("createdAt", post.at)
        }
    }

    static func write(to json: inout JSONWriter, _ favorite: FavoriteLine) {
        json.object {
            $0.field("campaign", favorite.campaign)
            $0.field("addedAt", favorite.addedAt)
        }
    }

    static func write(to json: inout JSONWriter, _ line: NoticeLine) {
        json.object {
            line.notice.writeFields(to: &$0)
            if let readAt = line.readAt { $0.field("readAt", readAt) } else { $0.null("readAt") }
        }
    }

    static func write(to json: inout JSONWriter, _ session: SessionLine) {
        json.object {
            $0.field("id", session.id)
            $0.field("startedAt", session.startedAt)
            $0.field("expiresAt", session.expiresAt)
            if let end = session.endedAt { $0.field("endedAt", end) } else { $0.null("endedAt") }
        }
    }
}

extension NoticeStatus {
    fileprivate var text: String {
        switch self {
        case .scheduled: "scheduled"
        case .posted: "posted"
        case .withdrawn: "withdrawn"
        case .lapsed: "lapsed"
        }
    }
}
