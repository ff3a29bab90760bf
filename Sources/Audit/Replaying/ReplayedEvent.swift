internal import Loyalty
internal import ReadModels

/// One event as replayed models take it: what most events say, in numbers, without decoding them.
///
/// Cards and shops go by the numbers that ``ReplayedNumbers`` gave them.
struct ReplayedEvent: Sendable {
    /// What it is.
    enum Kind: UInt8 {
        /// A `CardStamped` of one stamp.
        case stamped
        /// A `CodeIssued`: ``amount`` stamps.
        case issued
        /// A `CardOpened`: ``amount`` is the goal, ``place`` that of the reward in the batch.
        case opened
        case discarded
        case registered
        /// Any event, whose fact stands at ``place`` in the batch.
        case decoded
    }

    /// Number of a card or a shop that the event has none of.
    static let none = UInt32.max

    let position: UInt64
    /// Microseconds since 1970.
    let time: Int64
    let kind: Kind
    /// Stamps, or a goal.
    var amount: Int32 = 0
    /// Where in the batch there is more of it.
    var place = 0
    /// Number of the card that it is about.
    var card = Self.none
    /// Number of the shop that it is about, of those about a card or a code.
    var shop = Self.none
    /// The code of a stamp or of an issue; the account of a registration.
    var id: UInt128 = 0
    /// Who issued the code.
    var actor: UInt128 = 0

    init(_ kind: Kind, at position: UInt64, _ time: Int64) {
        (self.kind, self.position, self.time) = (kind, position, time)
    }

    /// The quarter of an hour in which it happened, as a key's.
    @inline(__always)
    var quarter: UInt64 { Quarter(of: Instant(microseconds: time)).key }
}
