/// Base64 with the standard alphabet and padding (RFC 4648 §4), and exactly one encoding for any bytes. Foundation's decoder ignores unused
/// bits, so one signature line could be spelled in several ways.
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")
    private static let noDigit: UInt8 = 255
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: noDigit, count: 256)
        for (value, digit) in alphabet.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()

    static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        var offset = 0
        while offset < bytes.count {
            let count = min(3, bytes.count - offset)
            var group: UInt32 = 0
            for index in 0..<3 { group = group << 8 | (index < count ? UInt32(bytes[offset + index]) : 0) }
            for index in 0..<4 {
                text.append(index <= count ? alphabet[Int(group >> UInt32(18 - 6 * index) & 63)] : padding)
            }
            offset += 3
        }
    }

    /// Returns the Base64 encoding of bytes.
    package static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        append(bytes, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes a text; nil unless ``append(_:to:)`` writes the same text.
    package static func bytes(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        let digits = text.prefix(text.count - text.suffix(2).count { $0 == padding })
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 4 * 3 + 2)
        var (bits, bitCount): (UInt32, UInt32) = (0, 0)
        for digit in digits {
            let value = values[Int(digit)]
            guard value != noDigit else { return nil }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
            bits &= 1 << bitCount - 1
        }
        // Otherwise several texts decode to the same bytes.
        return bits == 0 && bitCount < 6 ? bytes : nil
    }
}

/// Lower-case hexadecimal, two digits per byte.
package enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Returns the hexadecimal digits of bytes.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Decodes pairs of hexadecimal digits; nil for any other text.
    ///
    /// - Parameter anyCase: accepts upper case too, for text that people type.
    package static func bytes(_ text: some Collection<UInt8>, anyCase: Bool = false) -> [UInt8]? {
        let values = text.compactMap { value(of: $0, anyCase) }
        guard values.count == text.count, values.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }

    private static func value(of digit: UInt8, _ anyCase: Bool) -> UInt8? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "F") where anyCase: digit - UInt8(ascii: "A") + 10
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
