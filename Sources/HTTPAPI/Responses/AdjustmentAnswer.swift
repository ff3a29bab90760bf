import EventLog
import Loyalty

/// A card as it stands after an operator has set it right.
struct AdjustmentAnswer: JSONWritable {
    /// Opened.
    let card: Card
    /// Why the card was set right, this time and before, by position.
    let reasons: [UInt64: String]
    let position: Position

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("card", CardAnswer(card: card, reasons: reasons))
            $0.field("position", position.rawValue)
        }
    }
}
