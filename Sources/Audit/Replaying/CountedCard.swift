/// A card as statistics see it: 64 bytes, so that a stamp touches one line of the cache.
struct CountedCard: Sendable {
    let id: UInt128
    let holder: UInt128
    /// The quarter of the newest entry, as a key's.
    var quarter: UInt64
    /// The earliest quarter in which something happened, as a key's.
    var first: UInt64
    /// Number of its shop.
    let shop: UInt32
    /// Where in the list of activity its newest entry stands.
    var newest: UInt32
    /// Stamps until it is full; 0 where it takes no more.
    var room: Int32
}
