/// Ids as text: a prefix that names the kind of thing, `_`, and 26 symbols of base 32 for the 128 bits.
///
/// TypeID 0.3: <https://github.com/jetify-com/typeid/tree/main/spec>. Reading is strict, so that one id has one spelling.
public enum TypeID {
    /// Symbols of the id itself; the first carries three bits, each other five.
    static let suffixLength = 26
    /// Longest prefix that the specification allows.
    static let prefixLengthMax = 63

    /// `prefix_01h455vb4pex5vsknk084sn02q`. An empty prefix leaves out the `_` too.
    ///
    /// `prefix` is the program's own and not checked.
    public static func text(_ prefix: String, _ value: UInt128) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(prefix.utf8.count + 1 + suffixLength)
        append(prefix, value, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What ``text(_:_:)`` says, behind what is there: for writers of many ids.
    package static func append(_ prefix: String, _ value: UInt128, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: prefix.utf8)
        if !prefix.isEmpty { bytes.append(UInt8(ascii: "_")) }
        appendSuffix(of: value, to: &bytes)
    }

    /// The prefix and the number of a TypeID, or nil for anything that is not exactly one: upper case, another length, a
    /// symbol outside the alphabet, more than 128 bits, or a prefix that is not `[a-z]([a-z_]*[a-z])?` of at most 63.
    public static func parse(_ text: String) -> (prefix: String, value: UInt128)? {
        let bytes = Array(text.utf8)
        guard bytes.count >= suffixLength, let value = suffix(bytes[(bytes.count - suffixLength)...]) else { return nil }
        if bytes.count == suffixLength { return ("", value) }
        guard bytes[bytes.count - suffixLength - 1] == UInt8(ascii: "_") else { return nil }
        let prefix = bytes[..<(bytes.count - suffixLength - 1)]
        guard isPrefix(prefix) else { return nil }
        return (String(decoding: prefix, as: UTF8.self), value)
    }

    /// The number of an id that must have this prefix.
    static func value(of text: String, prefix: String) -> UInt128? {
        let bytes = text.utf8
        guard bytes.count == prefix.utf8.count + 1 + suffixLength, bytes.starts(with: prefix.utf8) else { return nil }
        let rest = bytes.dropFirst(prefix.utf8.count)
        guard rest.first == UInt8(ascii: "_") else { return nil }
        return suffix(rest.dropFirst())
    }

    /// The number that exactly 26 lower-case symbols stand for.
    static func suffix(_ symbols: some Collection<UInt8>) -> UInt128? {
        guard symbols.count == suffixLength, let first = symbols.first, first <= UInt8(ascii: "7") else { return nil }
        var value: UInt128 = 0
        for symbol in symbols {
            guard let bits = Crockford.strictValue(symbol) else { return nil }
            value = value << 5 | UInt128(bits)
        }
        return value
    }

    static func appendSuffix(of value: UInt128, to bytes: inout [UInt8]) {
        let alphabet = Crockford.lowerCase
        for place in stride(from: 5 * (suffixLength - 1), through: 0, by: -5) {
            bytes.append(alphabet[Int(truncatingIfNeeded: value &>> UInt128(place)) & 31])
        }
    }

    private static func isPrefix(_ bytes: ArraySlice<UInt8>) -> Bool {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        guard bytes.count <= prefixLengthMax, let first = bytes.first, let last = bytes.last else { return false }
        return letters.contains(first) && letters.contains(last)
            && bytes.allSatisfy { letters.contains($0) || $0 == UInt8(ascii: "_") }
    }
}
