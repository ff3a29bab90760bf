internal import Loyalty

/// A stamp as statistics count it, decoded or not.
struct CountedStamp {
    let card, holder, shop, code: UInt128
    let stamps: Int
    /// As a key's.
    let quarter: UInt64

    init(_ stamp: SingleStamp, in quarter: UInt64) {
        (card, holder, shop, code) = (stamp.card, stamp.holder, stamp.shop, stamp.code)
        (stamps, self.quarter) = (1, quarter)
    }

    init(_ event: CardStamped, at time: Instant) {
        (card, holder, shop, code) = (event.card.value, event.holder.value, event.shop.value, event.code.value)
        (stamps, quarter) = (event.stamps, Quarter(of: time).key)
    }
}
