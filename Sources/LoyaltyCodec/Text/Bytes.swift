/// Base64 of RFC 4648, section 4: padded, no line breaks. Kept here so that the layer needs no Foundation for it.
enum Base64 {
    private static let alphabet: [UInt8] =
        Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")

    static func text(_ bytes: [UInt8]) -> String {
        var symbols: [UInt8] = []
        symbols.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0..<4 {
                symbols.append(place <= group.count ? alphabet[bits >> (18 - 6 * place) & 63] : padding)
            }
        }
        return String(decoding: symbols, as: UTF8.self)
    }

    /// The bytes of well-formed, padded base64 whose unused bits are zero; nil for anything else.
    static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let symbols = Array(text.utf8)
        let content = symbols.prefix { $0 != padding }
        let paddingCount = symbols.count - content.count
        guard symbols.count.isMultiple(of: 4), paddingCount <= 2 else { return nil }
        guard symbols.suffix(paddingCount).allSatisfy({ $0 == padding }) else { return nil }
        var bytes: [UInt8] = []
        var bits = 0
        var bitCount = 0
        for symbol in content {
            guard let value = alphabet.firstIndex(of: symbol) else { return nil }
            (bits, bitCount) = ((bits << 6 | value) & 0xFFFF, bitCount + 6)
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
        }
        return bits & ((1 << bitCount) - 1) == 0 ? bytes : nil
    }
}

/// Hexadecimal digits, lower case, most significant first.
enum Hex {
    private static let digits: [UInt8] = Array("0123456789abcdef".utf8)

    static func text(_ bytes: some Sequence<UInt8>) -> String {
        var symbols: [UInt8] = []
        for byte in bytes {
            symbols.append(digits[Int(byte >> 4)])
            symbols.append(digits[Int(byte & 15)])
        }
        return String(decoding: symbols, as: UTF8.self)
    }

    /// A 128-bit number as exactly 32 digits.
    static func text(_ value: UInt128) -> String {
        text(value.bigEndianBytes)
    }

    /// The bytes of an even number of digits of either case, nil for anything else.
    static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let symbols = Array(text.utf8)
        guard symbols.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(symbols.count / 2)
        for index in stride(from: 0, to: symbols.count, by: 2) {
            guard let high = value(symbols[index]), let low = value(symbols[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func value(_ symbol: UInt8) -> UInt8? {
        switch symbol {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): symbol - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): symbol - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): symbol - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// Crockford's base 32: five bits a symbol, without I, L, O and U. <https://www.crockford.com/base32.html>
///
/// Two alphabets of one system: TypeIDs are lower case and strict, typed codes are shown in upper case and read leniently.
enum Crockford {
    static let lowerCase: [UInt8] = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
    static let upperCase: [UInt8] = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// The five bits of a lower-case symbol, nil for anything else.
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

    /// The five bits of a symbol as people type it: either case, I and L for 1, O for 0. U stays refused.
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
    /// The 16 bytes of the number, most significant first: a UUID's own order.
    var bigEndianBytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        appendBigEndian(to: &bytes)
        return bytes
    }

    func appendBigEndian(to bytes: inout [UInt8]) {
        for shift in stride(from: 120, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: self >> UInt128(shift)))
        }
    }

    /// The number of exactly 16 bytes, nil for any other count.
    init?(bigEndianBytes bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        self = bytes.reduce(0) { $0 << 8 | UInt128($1) }
    }
}
