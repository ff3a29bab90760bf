/// Bytes for people to look at.
enum Hexadecimal {
    /// Bytes shown; the rest is counted.
    private static let bytesMax = 48

    static func text(_ bytes: Span<UInt8>) -> String {
        var text = ""
        for index in 0..<min(bytes.count, bytesMax) {
            let digits = String(bytes[index], radix: 16)
            text += digits.count == 1 ? "0" + digits : digits
        }
        return bytes.count > bytesMax ? text + "… (\(bytes.count) bytes)" : text
    }
}
