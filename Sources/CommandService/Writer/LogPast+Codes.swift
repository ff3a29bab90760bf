internal import EventLog
public import Loyalty
import LoyaltyCodec

/// Codes, and the paper cards on which some of them wait, read from the log.
extension LogPast {
    /// A code by its id; `nil` if it was never issued.
    public func code(_ id: CodeID) throws -> Code? {
        let types: [EventType] = [.codeIssued, .codeDestroyed, .cardStamped, .stampReversed, .paperStamped, .paperStampReversed]
        return Code.fold(try facts(types, Tag(kind: .code, value: id.value)))
    }

    /// The cards that a code was used for, oldest first.
    public func uses(of code: CodeID) throws -> [CodeUse] {
        try facts([.cardStamped], Tag(kind: .code, value: code.value)).compactMap { fact in
            guard case .cardStamped(let event) = fact.event else { return nil }
            return CodeUse(card: event.card, stamps: event.stamps, at: fact.time)
        }
    }

    /// The times at which stamps of a card were reversed, by the positions of the events that added the stamps to this card.
    ///
    /// A reversal may take the stamps off a newer card of the same holder. The result has the card to which they were first added.
    public func reversals(on card: Card) throws -> [UInt64: Instant] {
        var times: [UInt64: Instant] = [:]
        for fact in try facts([.stampReversed], tags(of: card.holder, in: card.campaign)) {
            guard case .stampReversed(let event) = fact.event else { continue }
            for given in try facts([.cardStamped], Tag(kind: .code, value: event.code.value)) where given.event.card == card.id {
                times[given.position] = fact.time
            }
        }
        return times
    }

    /// The newest code with a keyed hash.
    public func code(secret: Secret) throws -> Code? {
        let issued = try newest([.codeIssued], [Tag(kind: .codeSecret, value: secret.value)], limit: 1).first
        guard case .codeIssued(let event) = issued?.event else { return nil }
        return try code(event.code)
    }

    /// The paper cards that a shop printed at once.
    public func print(_ id: PrintID) throws -> PaperPrint? {
        PaperPrint.fold(try facts([.paperCardsPrinted], Tag(kind: .print, value: id.value)))
    }

    /// The print whose paper cards share the half of their codes with this keyed hash.
    public func print(secret: Secret) throws -> PaperPrint? {
        PaperPrint.fold(try facts([.paperCardsPrinted], Tag(kind: .printSecret, value: secret.value)))
    }

    /// A paper card; nil if no event about it exists.
    public func paper(_ id: PaperID) throws -> Paper? {
        Paper.fold(try facts([.paperStamped, .paperStampReversed, .paperCardTaken], Tag(kind: .paper, value: id.value)))
    }
}
