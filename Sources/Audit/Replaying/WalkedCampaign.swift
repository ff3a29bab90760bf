internal import Loyalty

/// A campaign's running time and whose it is.
struct WalkedCampaign: Sendable {
    let shop: UInt128
    var starts: Instant
    var ends: Instant
    var ended: Instant?
    var version: UInt64
}
