/// When a card that is full under the changed rules turns into its reward: nothing in a log tells what customers would have done.
public enum RedemptionMoment: String, Hashable, Sendable, CaseIterable {
    /// When the customer redeemed a card of the campaign in history, and not before. Then they redeem as many as leave no more full
    /// cards waiting than history left, and at least one where one is full.
    case asInHistory
    /// At the moment in which it fills, by the shop's owner. What the customer redeemed in history is followed where a card is
    /// full all the same.
    case whenFull
}
