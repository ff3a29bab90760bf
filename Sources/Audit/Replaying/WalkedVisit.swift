/// Stamps of one card in one quarter, or a part of them: added up when rows are made.
struct WalkedVisit: Sendable {
    let quarter: UInt64
    /// Number of the card; its holder's place among customers once visits are in the order of rows.
    var card: UInt32
    var stamps: UInt32
}
