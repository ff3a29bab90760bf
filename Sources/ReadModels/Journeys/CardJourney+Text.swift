internal import Loyalty
internal import LoyaltyCodec

extension CardJourney {
    /// A row in one line for people.
    static func text(_ row: Span<UInt8>) -> String? {
        guard let journey = CardJourney(row) else { return nil }
        var text = "\(journey.stamps) of \(journey.goal) stamps, holder \(journey.holder.text), campaign \(journey.campaign.text)"
        for (word, time) in [
            ("opened", journey.openedAt), ("first stamp", journey.firstStampAt), ("last stamp", journey.lastStampAt),
            ("filled", journey.filledAt), ("redeemed", journey.redeemedAt), ("discarded", journey.discardedAt),
        ] as [(String, Instant?)] {
            if let time { text += ", \(word) \(time.rfc3339)" }
        }
        return text
    }
}
