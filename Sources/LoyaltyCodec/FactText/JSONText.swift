/// The little of JSON (RFC 8259) that is needed to write one object a line; kept here so that the bytes are the same everywhere.
package enum JSONText {
    /// Beyond what JSON demands, whatever ends a line or turns the direction of writing is escaped: a terminal shows what is there.
    package static func string(_ text: String) -> String {
        if text.utf8.allSatisfy(isPlain) { return "\"\(text)\"" }
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case ..<" ", "\u{7F}"..."\u{9F}", "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}": result += escaped(scalar)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// Printable ASCII that needs no escape: ids, names of fields and most of what English speakers write.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    /// The shortest decimal that reads back as the same number; null for what JSON has no word for.
    package static func number(_ value: Double) -> String {
        value.isFinite ? "\(value)" : "null"
    }

    /// `{"name":value}`, in the order given; the values are JSON already.
    package static func object(_ members: [(name: String, value: String)]) -> String {
        "{" + members.map { "\(string($0.name)):\($0.value)" }.joined(separator: ",") + "}"
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
