internal import Loyalty
internal import ReadModels

/// A card on its way, as a replay sees it: 64 bytes. Times are microseconds since 1970.
struct WalkedCard: Sendable {
    /// A time at which nothing happened.
    static let never = Int64.min

    /// The quarter of its newest visit, as a key's; before there is one, none that a visit can have.
    var quarter: UInt64 = .max
    var first = Self.never
    var last = Self.never
    var filled = Self.never
    var redeemed = Self.never
    var discarded = Self.never
    /// Where in the list of visits its newest one stands, once it has one.
    var newest: UInt32 = 0
    var stamps: Int32 = 0
    let goal: Int32

    init(goal: Int32) {
        self.goal = goal
    }

    /// The card as the model keeps it.
    func journey(_ card: NumberedCard, in campaign: UInt128) -> CardJourney {
        func time(_ microseconds: Int64) -> Instant? { microseconds == Self.never ? nil : Instant(microseconds: microseconds) }
        var journey = CardJourney(
            campaign: CampaignID(campaign), holder: AccountID(card.holder), goal: Int(goal), openedAt: Instant(microseconds: card.opened))
        journey.set(
            stamps: Int(stamps), first: time(first), last: time(last), filled: time(filled), redeemed: time(redeemed),
            discarded: time(discarded))
        return journey
    }
}
