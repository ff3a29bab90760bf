internal import EventLog
internal import Loyalty
internal import LoyaltyCodec

/// The tables of shops and campaigns at the export's position, for joining with the ids in other tables. They are computed from the log.
/// Meanwhile, all shops and campaigns are in memory.
struct NounTables {
    private var shops: [ShopID: Shop] = [:]
    private var campaigns: [CampaignID: Campaign] = [:]

    private static let types = Set(Shop.eventTypes + Campaign.eventTypes)

    static let tables = [shopTable, campaignTable]

    /// Applies one event.
    ///
    /// - Throws: `CodecError`.
    mutating func apply(_ record: borrowing Record, at position: Position) throws {
        guard Self.types.contains(record.type) else { return }
        let fact = try LoyaltyCodec.decode(record, at: position)
        shops.apply(fact)
        campaigns.apply(fact)
    }

    /// The rows of one of the tables, in the order of ids.
    func rows(of table: String) -> [[AnalystValue]] {
        if table == Self.shopTable.name { return shops.values.sorted { $0.id < $1.id }.map(Self.row) }
        return campaigns.values.sorted { $0.id < $1.id }.map(Self.row)
    }
}

extension NounTables {
    static let shopTable = AnalystTable(
        name: "shops", about: "A shop as it stands.", source: "log",
        columns: [
            AnalystColumn("shop", .text, "Its id."), AnalystColumn("owner", .text, "The account that owns it."),
            AnalystColumn("name", .text, "Its name; none where it is sealed, as the next four."),
            AnalystColumn("phone", .text, "As the shop wrote it."),
            AnalystColumn("address", .text, "As the shop wrote it."), AnalystColumn("latitude", .number, "Degrees north, WGS 84."),
            AnalystColumn("longitude", .number, "Degrees east, WGS 84."),
            AnalystColumn("staff", .integer, "Accounts that work for it, beside its owner."),
            AnalystColumn("suspended", .boolean, "Whether an operator has closed its counter."),
            AnalystColumn("opened_at", .time, "When it was opened."),
        ])

    static let campaignTable = AnalystTable(
        name: "campaigns", about: "A campaign as it stands.", source: "log",
        columns: [
            AnalystColumn("campaign", .text, "Its id."), AnalystColumn("shop", .text, "Whose campaign it is."),
            AnalystColumn("kind", .text, "stampCard, promotion or coupon."),
            AnalystColumn("title", .text, "Its title; none where it is sealed, as details and reward."),
            AnalystColumn("details", .text, "What else it says."),
            AnalystColumn("goal", .integer, "Stamps that fill a card opened from now on; 0 for a promotion or a coupon."),
            AnalystColumn("reward", .text, "What a full card is redeemed for."), AnalystColumn("starts_at", .time, "Its first moment."),
            AnalystColumn("ends_at", .time, "The moment after its last."),
            AnalystColumn("ended_at", .time, "When it was ended early; none where it was not."),
            AnalystColumn("stamps_per_day_max", .integer, "Stamps that a card may gain within 24 hours; none for any number."),
            AnalystColumn("minimum_gap_seconds", .integer, "Seconds between two codes for one card; none for no gap."),
            AnalystColumn("repeats", .integer, "Cards that one account may fill; none for any number."),
            AnalystColumn("welcome_stamps", .integer, "Stamps on top of an account's first code; none for none."),
            AnalystColumn("redeem_until", .time, "The moment from which full cards are redeemed no more; none for no such moment."),
            AnalystColumn("card_valid_days", .integer, "Days for which a card is valid after it was opened; none for no limit."),
            AnalystColumn("bonuses", .text, "Hours in which codes are worth more, separated by semicolons; none for none."),
            AnalystColumn("milestones", .text, "The stamps of its milestones, separated by semicolons; none for none."),
            AnalystColumn("shops", .text, "The other shops at which it works, separated by spaces; none for none."),
        ])

    static func row(_ shop: Shop) -> [AnalystValue] {
        let contact = shop.contact.open
        return [
            .id(shop.id), .id(shop.owner), contact.map { .text($0.name) } ?? .none, contact.map { .text($0.phone) } ?? .none,
            contact.map { .text($0.address) } ?? .none, contact.map { .number($0.location.latitude) } ?? .none,
            contact.map { .number($0.location.longitude) } ?? .none, .integer(shop.staff.count), .boolean(shop.isSuspended),
            .time(shop.openedAt),
        ]
    }

    static func row(_ campaign: Campaign) -> [AnalystValue] {
        [
            .id(campaign.id), .id(campaign.shop), .text("\(campaign.kind)"), campaign.title.open.map { .text($0) } ?? .none,
            campaign.details.open.map { .text($0) } ?? .none, .integer(campaign.goal), campaign.reward.open.map { .text($0) } ?? .none,
            .time(campaign.startsAt), .time(campaign.endsAt),
            .optional(campaign.endedAt), .optional(campaign.caps.stampsPerDayMax), .optional(campaign.caps.minimumGapSeconds),
            .optional(campaign.options.repeats), .optional(campaign.options.welcomeStamps), .optional(campaign.options.redeemUntil),
            .optional(campaign.options.cardValidDays),
            campaign.options.bonuses.isEmpty ? .none : .text(campaign.options.bonuses.map(\.text).joined(separator: "; ")),
            .stamps(of: campaign.options.milestones),
            campaign.options.shops.isEmpty ? .none : .text(campaign.options.shops.map(\.text).joined(separator: " ")),
        ]
    }
}
