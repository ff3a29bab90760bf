/// Ask for a redemption code for a full card; holder only.
public struct RequestRedemption: Hashable, Sendable {
    public let redemption: RedemptionID
    public let card: CardID
    public let secret: Secret
    public let attempt: Int

    public init(redemption: RedemptionID, card: CardID, secret: Secret, attempt: Int) {
        self.redemption = redemption
        self.card = card
        self.secret = secret
        self.attempt = attempt
    }
}
