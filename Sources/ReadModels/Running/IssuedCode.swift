package import EventLog
internal import Loyalty
internal import LoyaltyCodec

/// The second hottest event read without decoding: a `CodeIssued` as this program writes it.
///
/// It takes a record for one only if `LoyaltyCodec` would, and reads the same from it: version 1, exactly the four tags, and a
/// payload of the three fields in their order, each in its shortest form. Everything else is left to the codec.
package struct IssuedCode {
    /// The attempt is left out where it is 0.
    private static let payloadBytes = 11...13

    /// The ids of what it names.
    package let shop, code: UInt128
    /// What it is worth, 1 to 10.
    package let stamps: Int

    @inline(__always)
    package init?(_ record: borrowing Record) {
        guard record.type == .codeIssued, record.schemaVersion == 1, record.hasRequestAtMost(behind: 4) else { return nil }
        let (place, code) = (record.tag(at: 0), record.tag(at: 2))
        guard place.kind == .shop, record.tag(at: 1).kind == .campaign, code.kind == .code, record.tag(at: 3).kind == .codeSecret
        else { return nil }
        guard let stamps = Self.stamps(record.payload) else { return nil }
        (shop, self.code, self.stamps) = (place.value, code.value, stamps)
    }

    /// `[08 attempt] 10 stamps 19 expiresAt`: field 1 and 2 as varints of one byte, field 3 as eight bytes.
    @inline(__always)
    private static func stamps(_ payload: Span<UInt8>) -> Int? {
        guard payloadBytes.contains(payload.count) else { return nil }
        var place = 0
        if payload[0] == 0x08 {
            guard payload[1] > 0, payload[1] < 0x80 else { return nil }
            place = 2
        }
        guard payload.count == place + 11, payload[place] == 0x10, payload[place + 2] == 0x19 else { return nil }
        let stamps = Int(payload[place + 1])
        return 1...10 ~= stamps ? stamps : nil
    }
}
