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

    init(
        _ model: String, _ modelTable: String, as name: String, _ about: String, _ columns: [AnalystColumn],
        rows: @escaping @Sendable (ModelRow) throws(AuditError) -> [[AnalystValue]]
    ) {
        table = AnalystTable(name: name, about: about, source: "\(model), table \(modelTable)", columns: columns)
        (self.model, self.modelTable, self.rows) = (model, modelTable, rows)
    }

    /// The exports of every table of every model, in the order of the models. If ``described`` has no export of a table, its columns are
    /// the parts of the row's key and a readable value, so that no table is left out.
    static let all: [ModelExport] = ReadModels.models.flatMap { model in
        model.tables.flatMap { table in
            let known = described.filter { $0.model == model.name && $0.modelTable == table.name }
            return known.isEmpty ? [ModelExport(undescribed: table, of: model.name)] : known
        }
    }

    private static let described = cards + ratings + notices + statistics

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

    init(_ row: borrowing CanonicalRow) {
        (key, value) = (row.key, row.value)
    }

    /// An id of sixteen bytes within the row's key.
    func id(at offset: Int = 0) -> UInt128 { key.bytes.bigEndian128(at: offset) }

    /// A number of eight bytes within the row's key.
    func number(at offset: Int) -> UInt64 {
        var number: UInt64 = 0
        for index in offset..<offset + 8 { number = number << 8 | UInt64(key.bytes[index]) }
        return number
    }

    /// A little-endian number of eight bytes within the row's value.
    func valueNumber(at offset: Int = 0) -> UInt64 {
        let value = value
        return value.span.littleEndian64(at: offset)
    }

    /// A big-endian id of sixteen bytes at the beginning of the row's value.
    func valueID() -> UInt128 {
        let value = value
        return value.span.bigEndian128(at: 0)
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

extension AnalystValue {
    /// The numbers of stamps of all milestones, separated by semicolons; no value if there are none.
    static func stamps(of milestones: [Milestone]) -> AnalystValue {
        milestones.isEmpty ? .none : .text(milestones.map { "\($0.at)" }.joined(separator: ";"))
    }
}

extension ModelExport {
    /// Exports of cards, the history of each card, and the cards of each account.
    static let cards: [ModelExport] = [cardStates, cardHistory, accountCards]

    private static let cardStates = ModelExport(
        CardProgress.name, "cards", as: "cards", "A card as it stands.",
        [
            AnalystColumn("card", .text, "Its id."),
            AnalystColumn("campaign", .text, "The campaign in which it is collected."),
            AnalystColumn("shop", .text, "The campaign's shop."),
            AnalystColumn("holder", .text, "The account whose card it is."),
            AnalystColumn("goal", .integer, "Stamps that fill it, fixed when it was opened; 0 for a coupon, which is full from the start."),
            AnalystColumn("reward", .text, "What a full one is redeemed for; none where it is sealed."),
            AnalystColumn("stamps", .integer, "Stamps on it, never more than the goal."),
            AnalystColumn("state", .text, "collecting, full, redeemed, discarded or expired."),
            AnalystColumn("redeemed", .boolean, "Whether its reward was handed out and not taken back, even if it was discarded since."),
            AnalystColumn("opened_at", .time, "When its first stamp came."),
            AnalystColumn("redemption", .text, "The newest redemption that was asked for; none where there was none."),
            AnalystColumn("milestones", .text, "The stamps of its milestones, separated by semicolons; none for none."),
            AnalystColumn("milestones_redeemed", .text, "Those of them whose rewards were handed out and not taken back."),
            AnalystColumn("version", .integer, "Position of the last event about it."),
        ]
    ) { (row) throws(AuditError) in
        let card = try row.decoded { CardRow.decode($0, id: CardID(row.id())) }
        return [
            [
                .id(card.id), .id(card.campaign), .id(card.shop), .id(card.holder), .integer(card.goal),
                card.reward.open.map { .text($0) } ?? .none,
                .integer(card.stamps), .text("\(card.status)"), .boolean(card.isRewarded), .time(card.openedAt),
                .id(card.newestRedemption), .stamps(of: card.terms.milestones),
                .stamps(of: card.terms.milestones.filter { card.redeemedAt(milestone: $0.at) != nil }), .position(card.version),
            ]
        ]
    }

    private static let cardHistory = ModelExport(
        CardProgress.name, "cards", as: "card_history", "What happened to a card: a line of its history.",
        [
            AnalystColumn("card", .text, "The card's id."),
            AnalystColumn("position", .integer, "Position of the event."),
            AnalystColumn("time", .time, "When it happened."),
            AnalystColumn(
                "kind", .text,
                "opened, stamped, redemptionRequested, redeemed, discarded, reversed, adjusted, stampReversed, reminded, expired, "
                    + "milestoneRequested, milestoneRedeemed or milestoneReversed."),
            AnalystColumn("stamps", .integer, "Stamps added; below 0 where an operator took some off."),
            AnalystColumn("milestone", .integer, "The milestone that it is about, by its stamps; none for anything else."),
        ]
    ) { (row) throws(AuditError) in
        let card = try row.decoded { CardRow.decode($0, id: CardID(row.id())) }
        return card.history.map { entry in
            [
                .id(card.id), .position(entry.position), .time(entry.at), .text("\(entry.kind)"), .integer(entry.stamps),
                .optional(entry.milestone),
            ]
        }
    }

    private static let accountCards = ModelExport(
        CardProgress.name, "accounts", as: "account_cards", "A card of an account, in the order in which it opened them.",
        [
            AnalystColumn("account", .text, "The holder."), AnalystColumn("position", .integer, "Where the card was opened."),
            AnalystColumn("card", .text, "The card's id."),
        ]
    ) { row in
        [[.id(AccountID(row.id())), .position(row.number(at: 16)), .id(CardID(row.valueID()))]]
    }
}

extension ModelExport {
    /// Exports of notices, their audiences, the accounts that get them, the notices that each account has read, and muted shops.
    static let notices: [ModelExport] = [posted, audiences, members, noticeHolders, reads, mutes]

    private static let posted = ModelExport(
        Notices.name, "notices", as: "notices", "A notice.",
        [
            AnalystColumn("notice", .text, "Its id."),
            AnalystColumn("shop", .text, "The shop that it is from; none for a notice to everybody."),
            AnalystColumn(
                "campaign", .text, "The campaign whose card holders get it, or the campaign of a reminder's card; none for other notices."),
            AnalystColumn("holder", .text, "The holder of a reminder's card, who alone gets it; none for other notices."),
            AnalystColumn("author", .text, "Who posted it."), AnalystColumn("posted_at", .time, "When it was posted."),
            AnalystColumn("position", .integer, "Where in the log it was posted."),
            AnalystColumn("sealed_title", .text, "Its title as base64, under the author's key."),
            AnalystColumn("sealed_text", .text, "Its text as base64, under the author's key."),
        ]
    ) { (row) throws(AuditError) in
        let notice = try row.decoded { NoticeRow.decode($0, id: NoticeID(row.id())) }
        return [
            [
                .id(notice.id), .id(notice.audience.shop), .id(notice.audience.campaign), .id(notice.reminder?.holder),
                .id(notice.author), .time(notice.at), .position(notice.position), .sealed(notice.title), .sealed(notice.text),
            ]
        ]
    }

    private static let audiences = ModelExport(
        Notices.name, "audiences", as: "notice_audiences", "A notice to an audience, in the order of the log.",
        [
            AnalystColumn(
                "audience", .text,
                "The 26 symbols after the prefix in the id of the shop, of the campaign (for the holders of its cards) or of the account "
                    + "(for a reminder of its card); none for everybody. The row in notices with the same notice has the whole id."),
            AnalystColumn("position", .integer, "Where it was posted."), AnalystColumn("notice", .text, "The notice's id."),
            AnalystColumn("number", .integer, "Its number among those to this audience, from 1."),
        ]
    ) { row in
        // The row does not say whether the id is of a shop, a campaign or an account, so the id has no prefix.
        let audience: AnalystValue = row.id() == 0 ? .none : .text(TypeID.text("", row.id()))
        return [[audience, .position(row.number(at: 16)), .id(NoticeID(row.valueID())), .position(row.valueNumber(at: 16))]]
    }

    private static let members = ModelExport(
        Notices.name, "members", as: "notice_members", "An account that gets notices.",
        [
            AnalystColumn("account", .text, "The account."), AnalystColumn("position", .integer, "Where it registered."),
            AnalystColumn("read", .integer, "Notices that it has said it has read."),
        ]
    ) { (row) throws(AuditError) in
        let member = try row.decoded { NoticeMember($0) }
        return [[.id(AccountID(row.id())), .position(member.since), .position(member.reads)]]
    }

    private static let noticeHolders = ModelExport(
        Notices.name, "holders", as: "notice_holders", "A shop whose notices an account gets.",
        [
            AnalystColumn("account", .text, "The account."), AnalystColumn("shop", .text, "The shop."),
            AnalystColumn("position", .integer, "Where its first card there was opened."),
        ]
    ) { row in
        [[.id(AccountID(row.id())), .id(ShopID(row.id(at: 16))), .position(row.valueNumber())]]
    }

    private static let mutes = ModelExport(
        Notices.name, "mutes", as: "notice_mutes", "A stretch of the log in which an account wanted no notices of a shop.",
        [
            AnalystColumn("account", .text, "The account."), AnalystColumn("shop", .text, "The shop."),
            AnalystColumn("from_position", .integer, "Where the shop was muted."),
            AnalystColumn("to_position", .integer, "Where that ended; none as long as it lasts."),
        ]
    ) { (row) throws(AuditError) in
        let stretches = try row.decoded { MutedStretches($0) }.stretches
        return stretches.map { stretch in
            [
                .id(AccountID(row.id())), .id(ShopID(row.id(at: 16))), .position(stretch.after),
                stretch.before == .max ? .none : .position(stretch.before),
            ]
        }
    }

    private static let reads = ModelExport(
        Notices.name, "reads", as: "notice_reads", "A notice that somebody has read.",
        [
            AnalystColumn("account", .text, "Who read it."), AnalystColumn("notice", .text, "The notice."),
            AnalystColumn("position", .integer, "Where in the log it was read first."),
        ]
    ) { row in
        [[.id(AccountID(row.id())), .id(NoticeID(row.id(at: 16))), .position(row.valueNumber())]]
    }
}
