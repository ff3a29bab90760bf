internal import LMDB
internal import Loyalty
internal import ReadModels

extension ModelExport {
    /// What happened at each shop, by quarters of an hour.
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
        ]
    ) { (row) throws(AuditError) in
        let activity = try row.decoded { CardActivity($0) }
        return [
            [
                .id(ShopID(row.id())), .time(Quarter(key: row.number(at: 16)).start), .id(CardID(row.id(at: 24))), .id(activity.holder),
                .integer(activity.stamps), .integer(activity.opened), .integer(activity.filled), .integer(activity.redeemed),
                .integer(activity.reversed),
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
        ]
    ) { (row) throws(AuditError) in
        let activity = try row.decoded { StaffActivity($0) }
        return [
            [
                .id(ShopID(row.id())), .time(Quarter(key: row.number(at: 16)).start), .id(AccountID(row.id(at: 24))),
                .integer(activity.codes), .integer(activity.stamps), .integer(activity.redeemed), .integer(activity.reversed),
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
