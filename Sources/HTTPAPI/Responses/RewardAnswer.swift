import EventLog
import Loyalty

/// What a redemption code is good for, or was: whose turn it is to hand out the reward.
struct RewardAnswer: JSONWritable {
    let redemption: RedemptionAnswer
    /// Opened.
    let card: Card
    /// Why the card was set right, by position.
    let reasons: [UInt64: String]
    /// `nil` for a preview, which adds nothing to the log.
    let position: Position?

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("redemption", redemption)
            $0.field("card", CardAnswer(card: card, reasons: reasons))
            $0.field("reward", card.reward.open ?? "")
            if let position { $0.field("position", position.rawValue) }
        }
    }
}
