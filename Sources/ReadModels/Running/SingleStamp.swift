package import EventLog
internal import LoyaltyCodec

/// The hottest event read without decoding: a `CardStamped` of one stamp is its tags, and most of a log is such events.
///
/// It takes a record for one only if `LoyaltyCodec` would: version 1, no payload, exactly the five tags in their order and at most
/// the marks of a request behind them. Everything else, damaged records too, is left to the codec and its refusals.
package struct SingleStamp {
    /// The card's id.
    package let card: UInt128

    @inline(__always)
    package init?(_ record: borrowing Record) {
        guard record.type == .cardStamped, record.schemaVersion == 1, record.payload.isEmpty else { return nil }
        let count = record.tagCount
        guard count == 5 || count == 7 else { return nil }
        // Tags ascend by kind, so each of the five has one place.
        guard record.tag(at: 0).kind == .account, record.tag(at: 1).kind == .shop, record.tag(at: 2).kind == .campaign,
            record.tag(at: 3).kind == .code
        else { return nil }
        let last = record.tag(at: 4)
        guard last.kind == .card else { return nil }
        if count == 7 {
            guard record.tag(at: 5).kind == .request, record.tag(at: 6).kind == .digest else { return nil }
        }
        card = last.value
    }
}
