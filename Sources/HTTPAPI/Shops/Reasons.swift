import Composition
import EventLog
import Loyalty
import LoyaltyCodec

extension Resources {
    /// The reasons of adjustments and reversals, by event position. Reads the log only for entries that have one.
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
