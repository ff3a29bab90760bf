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
        if table == Self.shopTable.name { return Self.rows(shops.values.sorted { $0.id < $1.id }, Self.shopColumns) }
        return Self.rows(campaigns.values.sorted { $0.id < $1.id }, Self.campaignColumns)
    }

    private static func rows<Noun>(_ nouns: [Noun], _ columns: [TableColumn<Noun>]) -> [[AnalystValue]] {
        nouns.map { noun in columns.map { $0.value(noun) } }
    }
}

extension NounTables {
    static let shopTable = AnalystTable(name: "shops", about: "A shop as it stands.", source: "log", columns: shopColumns.map(\.column))

    static let campaignTable = AnalystTable(
        name: "campaigns", about: "A campaign as it stands.", source: "log", columns: campaignColumns.map(\.column))

    private static let shopColumns: [TableColumn<Shop>] = [
        .id("shop", "Its id.") { $0.id }, .id("owner", "The account that owns it.") { $0.owner },
        .text("name", "Its name; none where it is sealed, as the next four.") { $0.contact.open?.name },
        .text("phone", "As the shop wrote it.") { $0.contact.open?.phone },
        .text("address", "As the shop wrote it.") { $0.contact.open?.address },
        .number("latitude", "Degrees north, WGS 84.") { $0.contact.open?.location.latitude },
        .number("longitude", "Degrees east, WGS 84.") { $0.contact.open?.location.longitude },
        .integer("staff", "Accounts that work for it, beside its owner.") { $0.staff.count },
        .boolean("suspended", "Whether an operator has closed its counter.") { $0.isSuspended },
        .time("opened_at", "When it was opened.") { $0.openedAt },
    ]

    private static let campaignColumns: [TableColumn<Campaign>] = [
        .id("campaign", "Its id.") { $0.id }, .id("shop", "Whose campaign it is.") { $0.shop },
        .text("kind", "stampCard, promotion or coupon.") { "\($0.kind)" },
        .text("title", "Its title; none where it is sealed, as details and reward.") { $0.title.open },
        .text("details", "What else it says.") { $0.details.open },
        .integer("goal", "Stamps that fill a card opened from now on; 0 for a promotion or a coupon.") { $0.goal },
        .text("reward", "What a full card is redeemed for.") { $0.reward.open },
        .time("starts_at", "Its first moment.") { $0.startsAt }, .time("ends_at", "The moment after its last.") { $0.endsAt },
        .time("ended_at", "When it was ended early; none where it was not.") { $0.endedAt },
        .integer("stamps_per_day_max", "Stamps that a card may gain within 24 hours; none for any number.") { $0.caps.stampsPerDayMax },
        .integer("minimum_gap_seconds", "Seconds between two codes for one card; none for no gap.") { $0.caps.minimumGapSeconds },
        .integer("repeats", "Cards that one account may fill; none for any number.") { $0.options.repeats },
        .integer("welcome_stamps", "Stamps on top of an account's first code; none for none.") { $0.options.welcomeStamps },
        .time("redeem_until", "The moment from which full cards are redeemed no more; none for no such moment.") { $0.options.redeemUntil },
        .integer("card_valid_days", "Days for which a card is valid after it was opened; none for no limit.") { $0.options.cardValidDays },
        .text("bonuses", "Hours in which codes are worth more, separated by semicolons; none for none.") { campaign in
            campaign.options.bonuses.isEmpty ? nil : campaign.options.bonuses.map(\.text).joined(separator: "; ")
        },
        .text("milestones", "The stamps of its milestones, separated by semicolons; none for none.") { $0.options.milestones.stampsText },
        .text("shops", "The other shops at which it works, separated by spaces; none for none.") { campaign in
            campaign.options.shops.isEmpty ? nil : campaign.options.shops.map(\.text).joined(separator: " ")
        },
    ]
}
