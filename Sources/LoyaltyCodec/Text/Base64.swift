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
