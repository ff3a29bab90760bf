package import EventLog
internal import LoyaltyCodec

/// The hottest event read without decoding: a `CardStamped` of one stamp is its tags, and most of a log is such events.
///
/// It takes a record for one only if `LoyaltyCodec` would: version 1, no payload, exactly the five tags in their order and at most
/// the marks of a request behind them. Everything else, damaged records too, is left to the codec and its refusals.
package struct SingleStamp {
    /// The ids of what it names.
    package let holder, shop, code, card: UInt128

    @inline(__always)
    package init?(_ record: borrowing Record) {
        guard record.type == .cardStamped, record.schemaVersion == 1, record.payload.isEmpty else { return nil }
        guard record.hasRequestAtMost(behind: 5) else { return nil }
        // Tags ascend by kind, so each of the five has one place.
        let (account, place, card) = (record.tag(at: 0), record.tag(at: 1), record.tag(at: 4))
        guard account.kind == .account, place.kind == .shop, record.tag(at: 2).kind == .campaign, card.kind == .card else { return nil }
        let code = record.tag(at: 3)
        guard code.kind == .code else { return nil }
        (holder, shop, self.code, self.card) = (account.value, place.value, code.value, card.value)
    }
}
