#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Base64 with the standard alphabet and padding (RFC 4648 §4), and exactly one encoding for any bytes.
package enum Base64 {
    /// Returns the Base64 encoding of bytes.
    package static func text(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    /// Decodes a text; nil unless ``text(_:)`` gives the same one. Foundation's decoder ignores unused bits, so one signature line could be
    /// spelled in several ways.
    package static func bytes(_ text: some Collection<UInt8>) -> [UInt8]? {
        let text = Data(text)
        guard let bytes = Data(base64Encoded: text), bytes.base64EncodedData() == text else { return nil }
        return Array(bytes)
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
