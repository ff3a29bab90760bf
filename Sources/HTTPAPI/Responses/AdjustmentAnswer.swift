import EventLog
import Loyalty

/// A card as it stands after an operator has set it right.
struct AdjustmentAnswer: JSONWritable {
    let card: Card
    let position: Position

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("card", CardAnswer(card: card))
            $0.field("position", position.rawValue)
        }
    }
}
