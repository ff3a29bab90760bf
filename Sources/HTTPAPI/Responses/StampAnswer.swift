import CommandService
import EventLog
import Loyalty

/// What entering a stamp code did.
struct StampAnswer: JSONWritable {
    let acceptance: Acceptance
    /// The cards of the acceptance, opened.
    let cards: [Card]
    /// Why cards were set right, by position.
    let reasons: [UInt64: String]

    /// Stamps added to all cards together.
    private var added: Int {
        acceptance.facts.reduce(0) { sum, fact in
            guard case .cardStamped(let event) = fact.event else { return sum }
            return sum + event.stamps
        }
    }

    func write(to json: inout JSONWriter) {
        json.object {
            // The cards stand in the order of first touch: the first of them took the first stamp.
            let cards = cards.map { JSONWriter.written(CardAnswer(card: $0, reasons: reasons)) }
            if let first = cards.first { $0.field("card", written: first) }
            $0.array("cards", cards) { $0.value(written: $1) }
            $0.field("added", added)
            $0.field("position", acceptance.position.rawValue)
        }
    }
}
