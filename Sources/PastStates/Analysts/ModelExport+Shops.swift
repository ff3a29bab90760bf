internal import LMDB
internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

extension ModelExport {
    /// Exports of customers' ratings and reviews of shops, the replies to reviews, and the accounts with a card at each shop.
    static let ratings: [ModelExport] = [shopRatings, givenRatings, reviews, shopReviews, replies, holders]

    private static let shopRatings = ModelExport(
        ShopRatings.name, "ratings", as: "ratings", "A shop's rating: the latest one of each account that is still there.", ratingColumns
    ) { Rating($1) }

    private static let ratingColumns: [TableColumn<DecodedRow<Rating>>] =
        [
            .id("shop", "The shop; those that nobody has rated have no row.") { $0.row.id() as ShopID },
            .integer("count", "Accounts that have rated.") { $0.count }, .integer("sum", "Of their latest ratings.") { $0.sum },
            .number("average", "The sum divided by the count, not rounded.") { $0.average },
        ]
        + (1...5).map { stars in .integer("stars_\(stars)", "Accounts whose latest rating is \(stars).") { $0.histogram[stars - 1] } }

    private static let givenRatings = ModelExport(
        ShopRatings.name, "given", as: "ratings_given", "A rating that an account gave a shop and that was not removed.",
        [
            .id("shop", "The shop.") { $0.id() as ShopID }, .id("account", "Who rated.") { $0.id(at: 16) as AccountID },
            .position("position", "Position of the review; an account's greatest one at a shop counts.") { $0.number(at: 32) },
            .integer("rating", "1 to 5.") { $0.value.first.map { Int($0) } },
        ])

    private static let reviews = ModelExport(
        ShopRatings.name, "reviews", as: "reviews", "A review or a reply.", reviewColumns
    ) { ReviewRow.decode($1, id: $0.id()) }

    private static let reviewColumns: [TableColumn<DecodedRow<PostedReview>>] = [
        .id("review", "Its id.") { $0.id }, .id("shop", "The shop that it is about.") { $0.shop },
        .id("author", "Who wrote it.") { $0.author }, .id("thread", "The review at the root; of a review its own id.") { $0.thread },
        .id("parent", "What a reply answers; none for a review.") { $0.parent },
        .integer("depth", "0 for a review, at most 8.") { $0.depth },
        .integer("rating", "1 to 5; none for replies, removed ones and those that do not rate.") { $0.rating },
        .time("posted_at", "When it was posted.") { $0.at }, .position("position", "Where in the log it was posted.") { $0.position },
        .boolean("removed", "Whether it was taken down.") { $0.isRemoved },
        .sealed("sealed_text", "Its words as base64, under the author's key; none where there are none.") { $0.text },
    ]

    private static let shopReviews = ModelExport(
        ShopRatings.name, "shops", as: "shop_reviews", "A review of a shop, in the order of the log.",
        [
            .id("shop", "The shop.") { $0.id() as ShopID },
            .position("position", "Where the review was posted.") { $0.number(at: 16) },
            .id("review", "The review's id.") { $0.valueID() as ReviewID },
        ])

    private static let replies = ModelExport(
        ShopRatings.name, "replies", as: "replies", "A reply in a thread, in the order of the log.",
        [
            .id("thread", "The review at the root.") { $0.id() as ReviewID },
            .position("position", "Where the reply was posted.") { $0.number(at: 16) },
            .id("reply", "The reply's id.") { $0.valueID() as ReviewID },
        ])

    private static let holders = ModelExport(
        ShopRatings.name, "holders", as: "shop_holders", "An account that has, or had, a card at a shop.",
        [
            .id("shop", "The shop.") { $0.id() as ShopID }, .id("account", "The holder.") { $0.id(at: 16) as AccountID },
            .position("position", "Where its first card there was opened.") { $0.valueNumber() },
        ])
}

extension ModelExport {
    /// Exports of the activity at each shop by quarter-hours, the first visits, the codes with stamps left, and the cards that still take
    /// stamps.
    static let statistics: [ModelExport] = [cardActivity, staffActivity, firstVisits, openCodes, room]

    private static func quarter<Item>(_ start: @escaping @Sendable (Item) -> Instant) -> TableColumn<Item> {
        .time("quarter", "The first moment of the quarter of an hour, in UTC.", start)
    }

    private static let cardActivity = ModelExport(
        Statistics.name, "cards", as: "statistics_cards", "What happened to one card in one quarter of an hour.", cardActivityColumns
    ) { CardActivity($1) }

    private static let cardActivityColumns: [TableColumn<DecodedRow<CardActivity>>] = [
        .id("shop", "The shop.") { $0.row.id() as ShopID }, quarter { $0.row.quarter(at: 16) },
        .id("card", "The card.") { $0.row.id(at: 24) as CardID }, .id("holder", "Whose card it is.") { $0.holder },
        .integer("stamps", "Stamps added by codes.") { $0.stamps }, .integer("opened", "1 where it was opened.") { $0.opened },
        .integer("filled", "How often it became full.") { $0.filled },
        .integer("redeemed", "How often its reward was handed out, taken back later or not.") { $0.redeemed },
        .integer("reversed", "How often a reward was taken back, whenever it had been handed out.") { $0.reversed },
        .integer("milestones", "Rewards of milestones handed out, which no other number has.") { $0.milestones.redeemed },
        .integer("milestones_reversed", "Rewards of milestones taken back.") { $0.milestones.reversed },
    ]

    private static let staffActivity = ModelExport(
        Statistics.name, "staff", as: "statistics_staff", "What one member of staff did in one quarter of an hour.", staffActivityColumns
    ) { StaffActivity($1) }

    private static let staffActivityColumns: [TableColumn<DecodedRow<StaffActivity>>] = [
        .id("shop", "The shop.") { $0.row.id() as ShopID }, quarter { $0.row.quarter(at: 16) },
        .id("account", "The member of staff.") { $0.row.id(at: 24) as AccountID },
        .integer("codes", "Stamp codes shown.") { $0.codes },
        .integer("stamps", "Stamps that the member's codes added, when they were added.") { $0.stamps },
        .integer("redeemed", "Rewards handed out.") { $0.redeemed },
        .integer("reversed", "Rewards taken back, whoever had handed them out.") { $0.reversed },
        .integer("milestones", "Rewards of milestones handed out, which no other number has.") { $0.milestones.redeemed },
        .integer("milestones_reversed", "Rewards of milestones taken back.") { $0.milestones.reversed },
    ]

    private static let firstVisits = ModelExport(
        Statistics.name, "firsts", as: "statistics_firsts", "When a customer was active at a shop for the first time.",
        [
            .id("shop", "The shop.") { $0.id() as ShopID }, .id("account", "The customer.") { $0.id(at: 16) as AccountID },
            quarter { Quarter(key: $0.valueNumber()).start },
        ])

    private static let openCodes = ModelExport(
        Statistics.name, "codes", as: "statistics_codes", "A stamp code that has stamps left to give, expired or not.", codeColumns
    ) { OpenCode($1) }

    private static let codeColumns: [TableColumn<DecodedRow<OpenCode>>] = [
        .id("code", "The code's id; the code itself is nowhere in the log.") { $0.row.id() as CodeID },
        .id("issuer", "The member of staff who showed it.") { $0.issuer }, .integer("stamps", "Stamps left.") { $0.stamps },
    ]

    private static let room = ModelExport(
        Statistics.name, "room", as: "statistics_room", "A card that still takes stamps.", roomColumns
    ) { $1.count == 4 ? Int($1.littleEndian32(at: 0)) : nil }

    private static let roomColumns: [TableColumn<DecodedRow<Int>>] = [
        .id("card", "The card.") { $0.row.id() as CardID }, .integer("stamps", "Stamps until it is full.") { $0.value },
    ]
}
