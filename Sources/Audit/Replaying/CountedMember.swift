/// A member of staff at one shop.
struct CountedMember: Sendable {
    let account: UInt128
    /// Number of the shop.
    let shop: UInt32
    /// Where in the list of activity the newest entry stands.
    var newest: UInt32
    /// The quarter of that entry, as a key's.
    var quarter: UInt64
}
