/// Crockford's base 32, five bits a symbol without I, L, O and U. <https://www.crockford.com/base32.html>
enum Crockford {
    static let lowerCase: [UInt8] = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
    static let upperCase: [UInt8] = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// nil for any byte but a lower-case symbol.
    static func strictValue(_ symbol: UInt8) -> UInt8? {
        switch symbol {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): symbol - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "h"): symbol - UInt8(ascii: "a") + 10
        case UInt8(ascii: "j")...UInt8(ascii: "k"): symbol - UInt8(ascii: "j") + 18
        case UInt8(ascii: "m")...UInt8(ascii: "n"): symbol - UInt8(ascii: "m") + 20
        case UInt8(ascii: "p")...UInt8(ascii: "t"): symbol - UInt8(ascii: "p") + 22
        case UInt8(ascii: "v")...UInt8(ascii: "z"): symbol - UInt8(ascii: "v") + 27
        default: nil
        }
    }

    /// Accepts both cases; I and L are 1, O is 0, U is refused.
    static func lenientValue(_ symbol: UInt8) -> UInt8? {
        let isUpperCase = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(symbol)
        let lower = isUpperCase ? symbol + 32 : symbol
        switch lower {
        case UInt8(ascii: "i"), UInt8(ascii: "l"): return 1
        case UInt8(ascii: "o"): return 0
        default: return strictValue(lower)
        }
    }
}

extension UInt128 {
    /// The 16 bytes, as in a UUID.
    package var bigEndianBytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        appendBigEndian(to: &bytes)
        return bytes
    }

    func appendBigEndian(to bytes: inout [UInt8]) {
        for shift in stride(from: 120, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: self >> UInt128(shift))) }
    }

    /// nil unless there are exactly 16 bytes.
    init?(bigEndianBytes bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        self = bytes.reduce(0) { $0 << 8 | UInt128($1) }
    }
}
