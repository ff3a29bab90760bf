package import EventLog
internal import LoyaltyCodec

/// A card thrown away, read without decoding: a `CardDiscarded` is its tags.
///
/// It takes a record for one only if `LoyaltyCodec` would: version 1, no payload, exactly the four tags in their order and at most
/// the marks of a request behind them. Everything else is left to the codec and its refusals.
package struct DiscardedCard {
    /// The ids of what it names.
    package let holder, shop, card: UInt128

    @inline(__always)
    package init?(_ record: borrowing Record) {
        guard record.type == .cardDiscarded, record.schemaVersion == 1, record.payload.isEmpty else { return nil }
        guard record.hasRequestAtMost(behind: 4) else { return nil }
        let (account, place, campaign, card) = (record.tag(at: 0), record.tag(at: 1), record.tag(at: 2), record.tag(at: 3))
        guard account.kind == .account, place.kind == .shop, campaign.kind == .campaign, card.kind == .card else { return nil }
        (holder, shop, self.card) = (account.value, place.value, card.value)
    }
}
