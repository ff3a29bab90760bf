/// An event as the log holds it: what happened, where in the order, when, and who did it.
public struct Fact: Hashable, Sendable {
    /// Dense, gapless, from 1.
    public let position: UInt64
    public let time: Instant
    /// The account whose command this was; for `CardRedeemed` the member of staff.
    public let actor: AccountID
    public let event: LoyaltyEvent

    public init(position: UInt64, time: Instant, actor: AccountID, event: LoyaltyEvent) {
        self.position = position
        self.time = time
        self.actor = actor
        self.event = event
    }
}
