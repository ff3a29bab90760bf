internal import EventLog
public import Loyalty
import LoyaltyCodec

/// Cards on paper, as the log tells them.
extension LogPast {
    /// The cards that a shop printed at once.
    public func print(_ id: PrintID) throws -> PaperPrint? {
        PaperPrint.fold(try facts([.paperCardsPrinted], Tag(kind: .print, value: id.value)))
    }

    /// The print whose cards share the half of their codes with this keyed hash.
    public func print(secret: Secret) throws -> PaperPrint? {
        PaperPrint.fold(try facts([.paperCardsPrinted], Tag(kind: .printSecret, value: secret.value)))
    }

    /// A card on paper; nil for one that has no event.
    public func paper(_ id: PaperID) throws -> Paper? {
        Paper.fold(try facts([.paperStamped, .paperStampReversed, .paperCardTaken], Tag(kind: .paper, value: id.value)))
    }
}
