/// A card as statistics see it: 24 bytes.
struct CountedCard: Sendable {
    /// The quarter of the newest count, as a key's.
    var quarter: UInt64
    /// The earliest quarter in which its holder was there, as a key's.
    var first: UInt64
    /// Where in the list of activity its newest count stands.
    var newest: UInt32
    /// Stamps until it is full; 0 where it takes no more.
    var room: Int32
}
