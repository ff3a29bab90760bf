internal import Audit
internal import LMDB
internal import Loyalty
internal import LoyaltyCodec
internal import Projections
internal import ReadModels

/// An export of a read model's table as a table for analysts.
///
/// Rows come from a replay's tables and not from the models' files. So an export depends only on the log up to one position. The tables of
/// a new model are exported even before an export in ``described`` exists for them. Memory holds the state of one model at a time.
struct ModelExport: Sendable {
    let table: AnalystTable
    /// The names of the model and of its table.
    let model: String
    let modelTable: String
    /// Converts one row of the model into exported rows, usually one.
    let rows: @Sendable (ModelRow) throws(AuditError) -> [[AnalystValue]]

    private init(
        _ model: String, _ modelTable: String, as name: String, _ about: String, _ columns: [AnalystColumn],
        rows: @escaping @Sendable (ModelRow) throws(AuditError) -> [[AnalystValue]]
    ) {
        table = AnalystTable(name: name, about: about, source: "\(model), table \(modelTable)", columns: columns)
        (self.model, self.modelTable, self.rows) = (model, modelTable, rows)
    }

    /// - Parameter items: the items in a row of the model, each of which becomes an exported row.
    init<Item>(
        _ model: String, _ modelTable: String, as name: String, _ about: String, _ columns: [TableColumn<Item>],
        items: @escaping @Sendable (ModelRow) throws(AuditError) -> [Item]
    ) {
        self.init(model, modelTable, as: name, about, columns.map(\.column)) { (row) throws(AuditError) in
            try items(row).map { item in columns.map { $0.value(item) } }
        }
    }

    /// - Parameter decode: the model's own decoder of a row's value.
    init<Value>(
        _ model: String, _ modelTable: String, as name: String, _ about: String, _ columns: [TableColumn<DecodedRow<Value>>],
        decode: @escaping @Sendable (ModelRow, Span<UInt8>) -> Value?
    ) {
        self.init(model, modelTable, as: name, about, columns) { (row) throws(AuditError) in
            [DecodedRow(row: row, value: try row.decoded { decode(row, $0) })]
        }
    }

    init(_ model: String, _ modelTable: String, as name: String, _ about: String, _ columns: [TableColumn<ModelRow>]) {
        self.init(model, modelTable, as: name, about, columns) { [$0] }
    }

    /// The exports of every table of every model, in the order of the models. If ``described`` has no export of a table, its columns are
    /// the parts of the row's key and a readable value, so that no table is left out.
    static let all: [ModelExport] = ReadModels.models.flatMap { model in
        model.tables.flatMap { table in
            let known = described.filter { $0.model == model.name && $0.modelTable == table.name }
            return known.isEmpty ? [ModelExport(undescribed: table, of: model.name)] : known
        }
    }

    private static let described = cards + ratings + notices + statistics + searches

    init(undescribed table: ModelTable, of model: String) {
        let parts = table.key.enumerated().map { index, part in
            AnalystColumn("key\(index + 1)_\(part)", .text, "Part \(index + 1) of the row's key.")
        }
        let value = AnalystColumn("value", .text, "What the row says, in words.")
        let name = AnalystColumn.snakeCase("\(model)_\(table.name)")
        self.init(model, table.name, as: name, "A row of the model.", parts + [value]) { row in
            let key = table.text(key: row.key.bytes).split(separator: "/").map { AnalystValue.text(String($0)) }
            let value = row.value
            return [key + [.text(table.text(value: value.span))]]
        }
    }
}

/// A row of a read model, for exports.
struct ModelRow {
    let key: RowKey
    let value: [UInt8]

    init(_ row: borrowing CanonicalRow) { (key, value) = (row.key, row.value) }

    /// An id of sixteen bytes within the row's key.
    func id<Noun>(at offset: Int = 0) -> ID<Noun> { ID(key.bytes.bigEndian128(at: offset)) }

    /// A number of eight bytes within the row's key.
    func number(at offset: Int) -> UInt64 {
        UInt64(truncatingIfNeeded: key.bytes.extracting((offset - 8)..<(offset + 8)).bigEndian128(at: 0))
    }

    /// The quarter of an hour whose key is a number within the row's key.
    func quarter(at offset: Int) -> Instant { Quarter(key: number(at: offset)).start }

    /// A little-endian number of eight bytes within the row's value.
    func valueNumber(at offset: Int = 0) -> UInt64 {
        let value = value
        return value.span.littleEndian64(at: offset)
    }

    /// A big-endian id of sixteen bytes at the beginning of the row's value.
    func valueID<Noun>() -> ID<Noun> {
        let value = value
        return ID(value.span.bigEndian128(at: 0))
    }

    /// The value, decoded with its model's decoder.
    ///
    /// - Throws: ``AuditError/Code/model`` for bytes that the model itself could not read, which means a defect in the program.
    func decoded<Value>(_ decode: (Span<UInt8>) -> Value?) throws(AuditError) -> Value {
        let value = value
        if let decoded = decode(value.span) { return decoded }
        throw AuditError(.model, "a row of a model does not decode.", remedy: "This is a defect of the program: please report it.")
    }
}

/// A row of a read model, with its decoded value.
@dynamicMemberLookup
struct DecodedRow<Value> {
    let row: ModelRow
    let value: Value

    subscript<Member>(dynamicMember member: KeyPath<Value, Member>) -> Member { value[keyPath: member] }
}

extension ModelExport {
    /// Exports of cards, the history of each card, and the cards of each account.
    static let cards: [ModelExport] = [cardStates, cardHistory, accountCards]

    private static let cardStates = ModelExport(CardProgress.name, "cards", as: "cards", "A card as it stands.", cardColumns) {
        CardRow.decode($1, id: $0.id())
    }

    private static let cardColumns: [TableColumn<DecodedRow<Card>>] = [
        .id("card", "Its id.") { $0.id }, .id("campaign", "The campaign in which it is collected.") { $0.campaign },
        .id("shop", "The campaign's shop.") { $0.shop }, .id("holder", "The account whose card it is.") { $0.holder },
        .integer("goal", "Stamps that fill it, fixed when it was opened; 0 for a coupon, which is full from the start.") { $0.goal },
        .text("reward", "What a full one is redeemed for; none where it is sealed.") { $0.reward.open },
        .integer("stamps", "Stamps on it, never more than the goal.") { $0.stamps },
        .text("state", "collecting, full, redeemed, discarded or expired.") { "\($0.status)" },
        .boolean("redeemed", "Whether its reward was handed out and not taken back, even if it was discarded since.") { $0.isRewarded },
        .time("opened_at", "When its first stamp came.") { $0.openedAt },
        .id("redemption", "The newest redemption that was asked for; none where there was none.") { $0.newestRedemption },
        .text("milestones", "The stamps of its milestones, separated by semicolons; none for none.") { $0.terms.milestones.stampsText },
        .text("milestones_redeemed", "Those of them whose rewards were handed out and not taken back.") { row in
            row.terms.milestones.filter { row.value.redeemedAt(milestone: $0.at) != nil }.stampsText
        },
        .position("version", "Position of the last event about it.") { $0.version },
    ]

    private static let cardHistory = ModelExport(
        CardProgress.name, "cards", as: "card_history", "What happened to a card: a line of its history.", entryColumns
    ) { (row) throws(AuditError) in
        let card = try row.decoded { CardRow.decode($0, id: row.id()) }
        return card.history.map { (card.id, $0) }
    }

    private static let entryColumns: [TableColumn<(card: CardID, entry: Loyalty.CardEntry)>] = [
        .id("card", "The card's id.") { $0.card }, .position("position", "Position of the event.") { $0.entry.position },
        .time("time", "When it happened.") { $0.entry.at },
        .text(
            "kind",
            "opened, stamped, redemptionRequested, redeemed, discarded, reversed, adjusted, stampReversed, reminded, expired, "
                + "milestoneRequested, milestoneRedeemed or milestoneReversed."
        ) { "\($0.entry.kind)" },
        .integer("stamps", "Stamps added; below 0 where an operator took some off.") { $0.entry.stamps },
        .integer("milestone", "The milestone that it is about, by its stamps; none for anything else.") { $0.entry.milestone },
    ]

    private static let accountCards = ModelExport(
        CardProgress.name, "accounts", as: "account_cards", "A card of an account, in the order in which it opened them.",
        [
            .id("account", "The holder.") { $0.id() as AccountID },
            .position("position", "Where the card was opened.") { $0.number(at: 16) },
            .id("card", "The card's id.") { $0.valueID() as CardID },
        ])
}

extension ModelExport {
    /// Exports of notices, their audiences, the accounts that get them, the notices that each account has read, and muted shops.
    static let notices: [ModelExport] = [posted, audiences, members, noticeHolders, reads, mutes]

    private static let posted = ModelExport(Notices.name, "notices", as: "notices", "A notice.", noticeColumns) {
        NoticeRow.decode($1, id: $0.id())
    }

    private static let noticeColumns: [TableColumn<DecodedRow<PostedNotice>>] = [
        .id("notice", "Its id.") { $0.id },
        .id("shop", "The shop that it is from; none for a notice to everybody.") { $0.audience.shop },
        .id("campaign", "The campaign whose card holders get it, or the campaign of a reminder's card; none for other notices.") {
            $0.audience.campaign
        },
        .id("holder", "The holder of a reminder's card, who alone gets it; none for other notices.") { $0.reminder?.holder },
        .id("search", "The saved search of an alert, whose account alone gets it; none for other notices.") { $0.alert?.search },
        .id("author", "Who posted it.") { $0.author }, .time("posted_at", "When it was posted.") { $0.at },
        .position("position", "Where in the log it was posted.") { $0.position },
        .sealed("sealed_title", "Its title as base64, under the author's key.") { $0.title },
        .sealed("sealed_text", "Its text as base64, under the author's key.") { $0.text },
    ]

    private static let audiences = ModelExport(
        Notices.name, "audiences", as: "notice_audiences", "A notice to an audience, in the order of the log.",
        [
            .text(
                "audience",
                "The 26 symbols after the prefix in the id of the shop, of the campaign (for the holders of its cards) or of the account "
                    + "(for a reminder of its card); none for everybody. The row in notices with the same notice has the whole id."
            ) { row in
                // The row does not say whether the id is of a shop, a campaign or an account, so the id has no prefix.
                let audience = (row.id() as ShopID).value
                return audience == 0 ? nil : TypeID.text("", audience)
            },
            .position("position", "Where it was posted.") { $0.number(at: 16) },
            .id("notice", "The notice's id.") { $0.valueID() as NoticeID },
            .position("number", "Its number among those to this audience, from 1.") { $0.valueNumber(at: 16) },
        ])

    private static let members = ModelExport(
        Notices.name, "members", as: "notice_members", "An account that gets notices.", memberColumns
    ) { NoticeMember($1) }

    private static let memberColumns: [TableColumn<DecodedRow<NoticeMember>>] = [
        .id("account", "The account.") { $0.row.id() as AccountID }, .position("position", "Where it registered.") { $0.since },
        .position("read", "Notices that it has said it has read.") { $0.reads },
    ]

    private static let noticeHolders = ModelExport(
        Notices.name, "holders", as: "notice_holders", "A shop whose notices an account gets.",
        [
            .id("account", "The account.") { $0.id() as AccountID }, .id("shop", "The shop.") { $0.id(at: 16) as ShopID },
            .position("position", "Where its first card there was opened.") { $0.valueNumber() },
        ])

    private static let mutes = ModelExport(
        Notices.name, "mutes", as: "notice_mutes", "A stretch of the log in which an account wanted no notices of a shop.", muteColumns
    ) { (row) throws(AuditError) in
        try row.decoded { MutedStretches($0) }.stretches.map { (row, $0.after, $0.before) }
    }

    private static let muteColumns: [TableColumn<(row: ModelRow, after: UInt64, before: UInt64)>] = [
        .id("account", "The account.") { $0.row.id() as AccountID }, .id("shop", "The shop.") { $0.row.id(at: 16) as ShopID },
        .position("from_position", "Where the shop was muted.") { $0.after },
        .position("to_position", "Where that ended; none as long as it lasts.") { $0.before == .max ? nil : $0.before },
    ]

    private static let reads = ModelExport(
        Notices.name, "reads", as: "notice_reads", "A notice that somebody has read.",
        [
            .id("account", "Who read it.") { $0.id() as AccountID }, .id("notice", "The notice.") { $0.id(at: 16) as NoticeID },
            .position("position", "Where in the log it was read first.") { $0.valueNumber() },
        ])
}
