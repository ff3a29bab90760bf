package import EventLog
internal import LoyaltyCodec

/// A new account read without decoding: an `AccountRegistered` as this program writes it.
///
/// It takes a record for one only if `LoyaltyCodec` would: version 1, exactly the two tags, and a payload of one field that is not
/// empty. Everything else is left to the codec and its refusals.
package struct RegisteredAccount {
    /// Its id.
    package let account: UInt128

    @inline(__always)
    package init?(_ record: borrowing Record) {
        guard record.type == .accountRegistered, record.schemaVersion == 1, record.hasRequestAtMost(behind: 2) else { return nil }
        let account = record.tag(at: 0)
        guard account.kind == .account, record.tag(at: 1).kind == .phone else { return nil }
        // `0A length bytes`, the length as a varint of one byte.
        let payload = record.payload
        guard payload.count > 2, payload[0] == 0x0A, payload[1] < 0x80, payload.count == 2 + Int(payload[1]) else { return nil }
        self.account = account.value
    }
}
