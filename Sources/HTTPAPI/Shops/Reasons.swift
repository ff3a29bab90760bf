import CommandService
import Composition
import EventLog
import Loyalty
import LoyaltyCodec

extension Resources {
    /// The reasons that were given for adjustments and reversals, by the position of the event. The kind of each entry in a card's history
    /// shows whether the entry has a reason. For a card without such entries, as most cards are, no event is read from the log.
    func reasons(of cards: some Sequence<Card>) throws -> [UInt64: String] {
        var reasons: [UInt64: String] = [:]
        for card in cards {
            for entry in card.history where [.adjusted, .reversed, .stampReversed, .milestoneReversed].contains(entry.kind) {
                reasons[entry.position] = try reason(at: Position(entry.position))
            }
        }
        return reasons
    }

    private func reason(at position: Position) throws -> String? {
        guard let event = try service.log.event(at: position) else { return nil }
        switch try LoyaltyCodec.decode(event).event {
        case .cardAdjusted(let event): return try service.open(event.reason, about: event.holder)
        case .stampReversed(let event): return try service.open(event.reason, about: event.holder)
        case .redemptionReversed(let event): return try service.open(event.reason, about: event.holder)
        case .milestoneReversed(let event): return try service.open(event.reason, about: event.holder)
        default: return nil
        }
    }
}

/// The body of a request for a reversal or a suspension. It states the reason, because people may question such an act later.
struct ReasonRequest: JSONReadable {
    let reason: String

    init(_ fields: inout FieldReader) {
        reason = fields.string("reason")
    }
}

/// The body of a request to end the suspension of a shop or an account. The reason, and the whole body, may be absent.
struct ReinstatementRequest: JSONReadable {
    let reason: String?

    init(_ fields: inout FieldReader) {
        reason = fields.optionalString("reason")
    }
}
