import Loyalty

/// A card as its holder sees it.
struct CardAnswer: JSONWritable {
    /// Opened.
    let card: Card
    /// Lists leave the history out.
    var withHistory = true
    /// Why an entry of the history was made, by its position, where somebody had to say.
    var reasons: [UInt64: String] = [:]

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("id", card.id)
            $0.field("campaign", card.campaign)
            $0.field("shop", card.shop)
            $0.field("status", card.status.text)
            $0.field("stamps", card.stamps)
            $0.field("goal", card.goal)
            $0.field("reward", card.reward.open ?? "")
            $0.field("openedAt", card.openedAt)
            if withHistory { $0.array("history", card.history, write) }
        }
    }

    private func write(to json: inout JSONWriter, _ entry: CardEntry) {
        json.object {
            $0.field("at", entry.at)
            $0.field("kind", entry.kind.text)
            $0.field("stamps", entry.stamps)
            $0.field("position", entry.position)
            if let reason = reasons[entry.position] { $0.field("reason", reason) }
        }
    }
}

extension CardStatus {
    var text: String {
        switch self {
        case .collecting: "collecting"
        case .full: "full"
        case .redeemed: "redeemed"
        case .discarded: "discarded"
        }
    }
}

extension CardEntry.Kind {
    fileprivate var text: String {
        switch self {
        case .opened: "opened"
        case .stamped: "stamped"
        case .redemptionRequested: "redemptionRequested"
        case .redeemed: "redeemed"
        case .discarded: "discarded"
        case .reversed: "reversed"
        case .adjusted: "adjusted"
        }
    }
}
