/// Take a reward back within a day; owner or staff of the card's shop.
public struct ReverseRedemption: Hashable, Sendable {
    public let redemption: RedemptionID
    public let reason: TypedText

    public init(redemption: RedemptionID, reason: TypedText) {
        self.redemption = redemption
        self.reason = reason
    }
}
