/// Splits bytes into lines, each of which must end with a newline.
struct LineReader {
    static let newline = UInt8(ascii: "\n")
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// Nil if no newline is left.
    mutating func next() -> ArraySlice<UInt8>? {
        guard let end = rest.firstIndex(of: Self.newline) else { return nil }
        let line = rest[..<end]
        rest = rest[(end + 1)...]
        return line
    }

    /// Nil, and nothing is read, if the line begins otherwise.
    mutating func next(after prefix: String) -> ArraySlice<UInt8>? {
        var ahead = self
        guard let line = ahead.next(), line.starts(with: prefix.utf8) else { return nil }
        self = ahead
        return line.dropFirst(prefix.utf8.count)
    }
}

/// Text that is compared byte by byte.
///
/// Swift strings are equal if canonically equivalent. Checks of signers and log names must not treat different bytes as equal.
public struct ExactText: Hashable, Sendable, CustomStringConvertible {
    public let string: String

    public init(_ string: String) { self.string = string }

    public var description: String { string }

    var bytes: [UInt8] { Array(string.utf8) }

    public static func == (left: Self, right: Self) -> Bool { left.string.utf8.elementsEqual(right.string.utf8) }

    public func hash(into hasher: inout Hasher) { for byte in string.utf8 { hasher.combine(byte) } }
}

/// Decimal numbers with one spelling: ASCII digits, no sign, no leading zero except in `0`.
enum Decimal {
    /// Parses a number up to `max`.
    static func number(_ text: ArraySlice<UInt8>, max: UInt64) -> UInt64? {
        digits(text, max: max).flatMap { "\($0)".utf8.elementsEqual(text) ? $0 : nil }
    }

    /// Like ``number(_:max:)``, but allows leading zeros.
    static func digits(_ text: ArraySlice<UInt8>, max: UInt64) -> UInt64? {
        guard text.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return UInt64(String(decoding: text, as: UTF8.self)).flatMap { $0 <= max ? $0 : nil }
    }
}
