import CommandService
import Composition
import EventLog
import Loyalty
import LoyaltyCodec
import ReadModels

/// The elements of the lists in an export of an account's data.
enum ExportAnswer {
    /// One session of the account.
    struct SessionLine {
        let id: SessionID
        let startedAt: Instant
        var expiresAt: Instant
        var endedAt: Instant?
    }

    /// A review or reply of the account.
    struct PostLine {
        let id: ReviewID
        let shop: ShopID
        /// The review or reply to which this reply was written; nil for a review.
        let parent: ReviewID?
        let rating: Int?
        let text: String?
        let at: Instant
    }

    /// A campaign among the account's favourites.
    struct FavoriteLine {
        let campaign: CampaignID
        let addedAt: Instant
    }

    /// A notice that the account received, and whether the account has read it.
    struct NoticeLine {
        let notice: NoticeAnswer
        /// The time at which the account first read the notice; nil if it has not read the notice.
        let readAt: Instant?
    }

    static func write(_ shop: Shop, to json: inout JSONWriter) {
        json.field("id", shop.id)
        json.field("name", shop.name)
        json.field("phone", shop.phone)
        json.field("address", shop.address)
        if let place = shop.location { json.field("location", CoordinateAnswer(coordinate: place)) } else { json.null("location") }
        json.field("openedAt", shop.openedAt)
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
