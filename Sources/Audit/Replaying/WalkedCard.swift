/// A card on its way, as a replay sees it; times in microseconds, nil for never.
struct WalkedCard: Sendable {
    let id: UInt128
    let holder: UInt128
    let campaign: UInt128
    /// Number of its shop.
    let shop: UInt32
    /// Where in the list of visits its newest entry stands, once it has one.
    var newest: UInt32 = 0
    /// The quarter of that entry, as a key's; before there is one, none that an entry can have.
    var quarter: UInt64 = .max
    let goal: Int32
    var stamps: Int32 = 0
    let opened: Int64
    var first: Int64?
    var last: Int64?
    var filled: Int64?
    var redeemed: Int64?
    var discarded: Int64?
}
