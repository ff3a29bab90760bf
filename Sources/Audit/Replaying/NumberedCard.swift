/// What never changes about a card: 64 bytes.
struct NumberedCard: Sendable {
    let id: UInt128
    let holder: UInt128
    /// Where in the log it was opened.
    let position: UInt64
    /// When, in microseconds since 1970.
    let opened: Int64
    /// Number of its shop.
    let shop: UInt32
    /// Number of its campaign.
    let campaign: UInt32
    let goal: Int32
}
