/// Hand out the reward against a redemption code; owner or staff of the card's shop.
public struct Redeem: Hashable, Sendable {
    /// Keyed hash of what was typed.
    public let secret: Secret

    public init(secret: Secret) {
        self.secret = secret
    }
}
