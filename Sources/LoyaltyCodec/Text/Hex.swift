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
