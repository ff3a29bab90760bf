public import EventLog
public import Loyalty
internal import Merkle

/// The text form of ids: a prefix for the kind, `_`, and 26 symbols of base 32.
///
/// TypeID 0.3: <https://github.com/jetify-com/typeid/tree/main/spec>. Reading is strict, so that one id has one spelling.
public enum TypeID {
    /// The first symbol encodes three bits, each other five.
    static let suffixLength = 26
    static let prefixLengthMax = 63

    /// `prefix` is not checked, because it is a constant of the program.
    public static func text(_ prefix: String, _ value: UInt128) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(prefix.utf8.count + 1 + suffixLength)
        append(prefix, value, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// For code that writes many ids.
    package static func append(_ prefix: String, _ value: UInt128, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: prefix.utf8)
        if !prefix.isEmpty { bytes.append(UInt8(ascii: "_")) }
        appendSuffix(of: value, to: &bytes)
    }

    /// The prefix and number of a TypeID; nil for any other text. The prefix matches `[a-z]([a-z_]*[a-z])?`, at most 63 characters, or is
    /// empty.
    public static func parse(_ text: String) -> (prefix: String, value: UInt128)? {
        let bytes = Array(text.utf8)
        guard bytes.count >= suffixLength, let value = suffix(bytes[(bytes.count - suffixLength)...]) else { return nil }
        if bytes.count == suffixLength { return ("", value) }
        guard bytes[bytes.count - suffixLength - 1] == UInt8(ascii: "_") else { return nil }
        let prefix = bytes[..<(bytes.count - suffixLength - 1)]
        guard isPrefix(prefix) else { return nil }
        return (String(decoding: prefix, as: UTF8.self), value)
    }

    static func value(of text: String, prefix: String) -> UInt128? {
        let bytes = text.utf8
        guard bytes.count == prefix.utf8.count + 1 + suffixLength, bytes.starts(with: prefix.utf8) else { return nil }
        let rest = bytes.dropFirst(prefix.utf8.count)
        guard rest.first == UInt8(ascii: "_") else { return nil }
        return suffix(rest.dropFirst())
    }

    /// nil unless there are exactly 26 lower-case symbols.
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
        bytes.append(alphabet[Int(truncatingIfNeeded: value >> 125)])
        // A shift of 128 bits by a constant takes half the time of one by a variable.
        var rest = value << 3
        for _ in 1..<suffixLength {
            bytes.append(alphabet[Int(truncatingIfNeeded: rest >> 123)])
            rest <<= 5
        }
    }

    private static func isPrefix(_ bytes: ArraySlice<UInt8>) -> Bool {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        guard bytes.count <= prefixLengthMax, let first = bytes.first, let last = bytes.last else { return false }
        return letters.contains(first) && letters.contains(last)
            && bytes.allSatisfy { letters.contains($0) || $0 == UInt8(ascii: "_") }
    }
}

/// Ids that sort by their time of creation (RFC 9562, 5.7).
public enum UUIDv7 {
    /// A moment outside 1970 to 10889 is clamped.
    public static func make(at time: Instant, random: (UInt64, UInt64)) -> UInt128 {
        let milliseconds = min(UInt64(clamping: time.microseconds) / 1_000, 1 << 48 - 1)
        let high = milliseconds << 16 | 0x7000 | random.0 & 0x0FFF
        let low = 1 << 63 | random.1 & (1 << 62 - 1)
        return UInt128(high) << 64 | UInt128(low)
    }

    /// The moment in the id, to the millisecond.
    public static func time(of id: UInt128) -> Instant { Instant(microseconds: Int64(UInt64(truncatingIfNeeded: id >> 80)) * 1_000) }
}

/// A kind of thing whose ids are visible to clients. `Proto/options.proto` lists them.
public protocol Identified {
    /// Without the `_`. Part of the API: it never changes, and no two kinds share it.
    static var idPrefix: String { get }
}

extension ID where Noun: Identified {
    public var text: String { TypeID.text(Noun.idPrefix, value) }

    /// nil for the id of another kind of thing, so that it is never looked up.
    public init?(text: String) {
        guard let value = TypeID.value(of: text, prefix: Noun.idPrefix) else { return nil }
        self.init(value)
    }
}

extension Tag {
    /// As tools show it: `card:card_01h455vb4pex5vsknk084sn02q`, or `phone:` and 32 hexadecimal digits. An unknown kind is shown by its
    /// number.
    public var text: String {
        guard let wire = WireTag(kind) else { return "\(kind.rawValue):\(Hexadecimal.text(value.bigEndianBytes))" }
        return "\(wire.name):\(wire.valueText(value))"
    }

    package var valueText: String { WireTag(kind)?.valueText(value) ?? Hexadecimal.text(value.bigEndianBytes) }

    /// Reads `KIND:ID` as people type it; the id may leave out its prefix.
    public init?(text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let wire = WireTag.allCases.first(where: { $0.name == parts[0] }) else { return nil }
        guard let value = wire.value(String(parts[1])) else { return nil }
        self.init(kind: wire.kind, value: value)
    }
}

extension WireTag {
    init?(_ kind: TagKind) { self.init(rawValue: kind.rawValue) }

    var kind: TagKind { TagKind(rawValue: rawValue) }
    var name: String { "\(self)" }

    func valueText(_ value: UInt128) -> String { idPrefix.map { TypeID.text($0, value) } ?? Hexadecimal.text(value.bigEndianBytes) }

    func value(_ text: String) -> UInt128? {
        guard let idPrefix else { return Hexadecimal.bytes(text.utf8, anyCase: true).flatMap { UInt128(bigEndianBytes: $0) } }
        return TypeID.value(of: text, prefix: idPrefix) ?? TypeID.suffix(text.utf8)
    }
}
