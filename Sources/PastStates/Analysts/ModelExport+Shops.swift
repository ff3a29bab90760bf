internal import Audit
internal import LMDB
internal import Loyalty
internal import ReadModels

extension ModelExport {
    /// Exports of customers' ratings and reviews of shops, the replies to reviews, and the accounts with a card at each shop.
    static let ratings: [ModelExport] = [shopRatings, givenRatings, reviews, shopReviews, replies, holders]

    private static let shopRatings = ModelExport(
        ShopRatings.name, "ratings", as: "ratings", "A shop's rating: the latest one of each account that is still there.",
        [
            AnalystColumn("shop", .text, "The shop; those that nobody has rated have no row."),
            AnalystColumn("count", .integer, "Accounts that have rated."),
            AnalystColumn("sum", .integer, "Of their latest ratings."),
            AnalystColumn("average", .number, "The sum divided by the count, not rounded."),
        ] + (1...5).map { AnalystColumn("stars_\($0)", .integer, "Accounts whose latest rating is \($0).") }
    ) { (row) throws(AuditError) in
        let rating = try row.decoded { Rating($0) }
        let numbers: [AnalystValue] = [.integer(rating.count), .integer(rating.sum), rating.average.map { .number($0) } ?? .none]
        return [[.id(ShopID(row.id()))] + numbers + rating.histogram.map { .integer($0) }]
    }

    private static let givenRatings = ModelExport(
        ShopRatings.name, "given", as: "ratings_given", "A rating that an account gave a shop and that was not removed.",
        [
            AnalystColumn("shop", .text, "The shop."), AnalystColumn("account", .text, "Who rated."),
            AnalystColumn("position", .integer, "Position of the review; an account's greatest one at a shop counts."),
            AnalystColumn("rating", .integer, "1 to 5."),
        ]
    ) { row in
        let rating = AnalystValue.optional(row.value.first.map { Int($0) })
        return [[.id(ShopID(row.id())), .id(AccountID(row.id(at: 16))), .position(row.number(at: 32)), rating]]
    }

    private static let reviews = ModelExport(
        ShopRatings.name, "reviews", as: "reviews", "A review or a reply.",
        [
            AnalystColumn("review", .text, "Its id."), AnalystColumn("shop", .text, "The shop that it is about."),
            AnalystColumn("author", .text, "Who wrote it."),
            AnalystColumn("thread", .text, "The review at the root; of a review its own id."),
            AnalystColumn("parent", .text, "What a reply answers; none for a review."),
            AnalystColumn("depth", .integer, "0 for a review, at most 8."),
            AnalystColumn("rating", .integer, "1 to 5; none for replies, removed ones and those that do not rate."),
            AnalystColumn("posted_at", .time, "When it was posted."),
            AnalystColumn("position", .integer, "Where in the log it was posted."),
            AnalystColumn("removed", .boolean, "Whether it was taken down."),
            AnalystColumn("sealed_text", .text, "Its words as base64, under the author's key; none where there are none."),
        ]
    ) { (row) throws(AuditError) in
        let review = try row.decoded { ReviewRow.decode($0, id: ReviewID(row.id())) }
        return [
            [
                .id(review.id), .id(review.shop), .id(review.author), .id(review.thread), .id(review.parent), .integer(review.depth),
                .optional(review.rating), .time(review.at), .position(review.position), .boolean(review.isRemoved), .sealed(review.text),
            ]
        ]
    }

    private static let shopReviews = ModelExport(
        ShopRatings.name, "shops", as: "shop_reviews", "A review of a shop, in the order of the log.",
        [
            AnalystColumn("shop", .text, "The shop."), AnalystColumn("position", .integer, "Where the review was posted."),
            AnalystColumn("review", .text, "The review's id."),
        ]
    ) { row in
        [[.id(ShopID(row.id())), .position(row.number(at: 16)), .id(ReviewID(row.valueID()))]]
    }

    private static let replies = ModelExport(
        ShopRatings.name, "replies", as: "replies", "A reply in a thread, in the order of the log.",
        [
            AnalystColumn("thread", .text, "The review at the root."), AnalystColumn("position", .integer, "Where the reply was posted."),
            AnalystColumn("reply", .text, "The reply's id."),
        ]
    ) { row in
        [[.id(ReviewID(row.id())), .position(row.number(at: 16)), .id(ReviewID(row.valueID()))]]
    }

    private static let holders = ModelExport(
        ShopRatings.name, "holders", as: "shop_holders", "An account that has, or had, a card at a shop.",
        [
            AnalystColumn("shop", .text, "The shop."), AnalystColumn("account", .text, "The holder."),
            AnalystColumn("position", .integer, "Where its first card there was opened."),
        ]
    ) { row in
        [[.id(ShopID(row.id())), .id(AccountID(row.id(at: 16))), .position(row.valueNumber())]]
    }
}

extension ModelExport {
    /// Exports of the activity at each shop by quarter-hours, the first visits, the codes with stamps left, and the cards that still take
    /// stamps.
    static let statistics: [ModelExport] = [cardActivity, staffActivity, firstVisits, openCodes, room]

    private static let quarter = AnalystColumn("quarter", .time, "The first moment of the quarter of an hour, in UTC.")

    private static let cardActivity = ModelExport(
        Statistics.name, "cards", as: "statistics_cards", "What happened to one card in one quarter of an hour.",
        [
            AnalystColumn("shop", .text, "The shop."), quarter, AnalystColumn("card", .text, "The card."),
            AnalystColumn("holder", .text, "Whose card it is."), AnalystColumn("stamps", .integer, "Stamps added by codes."),
            AnalystColumn("opened", .integer, "1 where it was opened."), AnalystColumn("filled", .integer, "How often it became full."),
            AnalystColumn("redeemed", .integer, "How often its reward was handed out, taken back later or not."),
            AnalystColumn("reversed", .integer, "How often a reward was taken back, whenever it had been handed out."),
            AnalystColumn("milestones", .integer, "Rewards of milestones handed out, which no other number has."),
            AnalystColumn("milestones_reversed", .integer, "Rewards of milestones taken back."),
        ]
    ) { (row) throws(AuditError) in
        let activity = try row.decoded { CardActivity($0) }
        return [
            [
                .id(ShopID(row.id())), .time(Quarter(key: row.number(at: 16)).start), .id(CardID(row.id(at: 24))), .id(activity.holder),
                .integer(activity.stamps), .integer(activity.opened), .integer(activity.filled), .integer(activity.redeemed),
                .integer(activity.reversed), .integer(activity.milestones.redeemed), .integer(activity.milestones.reversed),
            ]
        ]
    }

    private static let staffActivity = ModelExport(
        Statistics.name, "staff", as: "statistics_staff", "What one member of staff did in one quarter of an hour.",
        [
            AnalystColumn("shop", .text, "The shop."), quarter, AnalystColumn("account", .text, "The member of staff."),
            AnalystColumn("codes", .integer, "Stamp codes shown."),
            AnalystColumn("stamps", .integer, "Stamps that the member's codes added, when they were added."),
            AnalystColumn("redeemed", .integer, "Rewards handed out."),
            AnalystColumn("reversed", .integer, "Rewards taken back, whoever had handed them out."),
            AnalystColumn("milestones", .integer, "Rewards of milestones handed out, which no other number has."),
            AnalystColumn("milestones_reversed", .integer, "Rewards of milestones taken back."),
        ]
    ) { (row) throws(AuditError) in
        let activity = try row.decoded { StaffActivity($0) }
        return [
            [
                .id(ShopID(row.id())), .time(Quarter(key: row.number(at: 16)).start), .id(AccountID(row.id(at: 24))),
                .integer(activity.codes), .integer(activity.stamps), .integer(activity.redeemed), .integer(activity.reversed),
                .integer(activity.milestones.redeemed), .integer(activity.milestones.reversed),
            ]
        ]
    }

    private static let firstVisits = ModelExport(
        Statistics.name, "firsts", as: "statistics_firsts", "When a customer was active at a shop for the first time.",
        [AnalystColumn("shop", .text, "The shop."), AnalystColumn("account", .text, "The customer."), quarter]
    ) { row in
        [[.id(ShopID(row.id())), .id(AccountID(row.id(at: 16))), .time(Quarter(key: row.valueNumber()).start)]]
    }

    private static let openCodes = ModelExport(
        Statistics.name, "codes", as: "statistics_codes", "A stamp code that has stamps left to give, expired or not.",
        [
            AnalystColumn("code", .text, "The code's id; the code itself is nowhere in the log."),
            AnalystColumn("issuer", .text, "The member of staff who showed it."), AnalystColumn("stamps", .integer, "Stamps left."),
        ]
    ) { (row) throws(AuditError) in
        let code = try row.decoded { OpenCode($0) }
        return [[.id(CodeID(row.id())), .id(code.issuer), .integer(code.stamps)]]
    }

    private static let room = ModelExport(
        Statistics.name, "room", as: "statistics_room", "A card that still takes stamps.",
        [AnalystColumn("card", .text, "The card."), AnalystColumn("stamps", .integer, "Stamps until it is full.")]
    ) { (row) throws(AuditError) in
        let stamps = try row.decoded { $0.count == 4 ? Int($0.littleEndian32(at: 0)) : nil }
        return [[.id(CardID(row.id())), .integer(stamps)]]
    }
}
