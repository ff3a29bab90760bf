internal import Loyalty
internal import ReadModels

extension ModelExport {
    /// Cards, what happened to each, and whose they are.
    static let cards: [ModelExport] = [cardStates, cardHistory, accountCards]

    private static let cardStates = ModelExport(
        CardProgress.name, "cards", as: "cards", "A card as it stands.",
        [
            AnalystColumn("card", .text, "Its id."),
            AnalystColumn("campaign", .text, "The campaign in which it is collected."),
            AnalystColumn("shop", .text, "The campaign's shop."),
            AnalystColumn("holder", .text, "The account whose card it is."),
            AnalystColumn("goal", .integer, "Stamps that fill it, fixed when it was opened."),
            AnalystColumn("reward", .text, "What a full one is redeemed for; none where it is sealed."),
            AnalystColumn("stamps", .integer, "Stamps on it; more than the goal where the last code was worth several."),
            AnalystColumn("state", .text, "collecting, full, redeemed or discarded."),
            AnalystColumn("redeemed", .boolean, "Whether its reward was handed out and not taken back."),
            AnalystColumn("opened_at", .time, "When its first stamp came."),
            AnalystColumn("redemption", .text, "The newest redemption that was asked for; none where there was none."),
            AnalystColumn("version", .integer, "Position of the last event about it."),
        ]
    ) { (row) throws(AuditError) in
        let card = try row.decoded { CardRow.decode($0, id: CardID(row.id())) }
        return [
            [
                .id(card.id), .id(card.campaign), .id(card.shop), .id(card.holder), .integer(card.goal),
                card.reward.open.map { .text($0) } ?? .none,
                .integer(card.stamps), .text("\(card.status)"), .boolean(card.status == .redeemed), .time(card.openedAt),
                .id(card.newestRedemption), .position(card.version),
            ]
        ]
    }

    private static let cardHistory = ModelExport(
        CardProgress.name, "cards", as: "card_history", "What happened to a card: a line of its history.",
        [
            AnalystColumn("card", .text, "The card's id."),
            AnalystColumn("position", .integer, "Position of the event."),
            AnalystColumn("time", .time, "When it happened."),
            AnalystColumn("kind", .text, "opened, stamped, redemptionRequested, redeemed, discarded, reversed or adjusted."),
            AnalystColumn("stamps", .integer, "Stamps added; below 0 where an operator took some off."),
        ]
    ) { (row) throws(AuditError) in
        let card = try row.decoded { CardRow.decode($0, id: CardID(row.id())) }
        return card.history.map { entry in
            [.id(card.id), .position(entry.position), .time(entry.at), .text("\(entry.kind)"), .integer(entry.stamps)]
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
