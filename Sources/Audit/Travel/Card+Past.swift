internal import Loyalty
internal import LoyaltyCodec

extension Card {
    /// All that there is to know of it.
    var pastFields: [PastField] {
        [
            .id("card", id), PastField("state", .word("\(status)")), .number("stamps", stamps), .number("goal", goal),
            .typed("reward", reward), .id("account", holder), .id("campaign", campaign), .id("shop", shop),
            .time("opened", openedAt), PastField("redemption", newestRedemption.map { .word($0.text) } ?? .none),
            PastField("history", .list(history.map { .record(Self.fields(of: $0)) })),
        ]
    }

    /// One line in a list of cards.
    var pastSummary: PastValue {
        .record([
            .id("card", id), PastField("state", .word("\(status)")), .number("stamps", stamps), .number("goal", goal),
            .id("campaign", campaign), .id("shop", shop), .time("opened", openedAt),
        ])
    }

    private static func fields(of entry: Loyalty.CardEntry) -> [PastField] {
        [
            .number("position", Int(clamping: entry.position)), .time("time", entry.at), PastField("what", .word("\(entry.kind)")),
            .number("stamps", entry.stamps),
        ]
    }
}
