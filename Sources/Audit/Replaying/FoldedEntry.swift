internal import Loyalty

/// A line of some card's history: 24 bytes.
struct FoldedEntry: Sendable {
    let position: UInt64
    /// Microseconds since 1970.
    let time: Int64
    /// Number of the card.
    let card: UInt32
    let kind: CardEntry.Kind
    let stamps: Int8

    /// As the model keeps it.
    var entry: CardEntry { CardEntry(at: Instant(microseconds: time), kind: kind, stamps: Int(stamps), position: position) }
}
