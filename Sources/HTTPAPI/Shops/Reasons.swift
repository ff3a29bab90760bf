import CommandService
import Composition
import EventLog
import Loyalty
import LoyaltyCodec

extension Resources {
    /// The reasons of adjustments and reversals of cards, by the position of the event. Most cards have none, and each line of their
    /// history costs one check.
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

/// A request with the reason of an act that people may question later: a reversal or a suspension.
struct ReasonRequest: JSONReadable {
    let reason: String

    init(_ fields: inout FieldReader) {
        reason = fields.string("reason")
    }
}

/// `DELETE /admin/shops/{id}/suspension`; the reason may be left out, and so may the body.
struct ReinstatementRequest: JSONReadable {
    let reason: String?

    init(_ fields: inout FieldReader) {
        reason = fields.optionalString("reason")
    }
}
