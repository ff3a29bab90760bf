/// Takes bytes apart line by line; each line ends with a newline, the last one too.
struct LineReader {
    static let newline = UInt8(ascii: "\n")
    /// The bytes that are not read yet.
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// The next line without its newline; nil at the end, or when what is left has no newline.
    mutating func next() -> ArraySlice<UInt8>? {
        guard let end = rest.firstIndex(of: Self.newline) else { return nil }
        let line = rest[..<end]
        rest = rest[(end + 1)...]
        return line
    }

    /// The text after `prefix` in the next line; nil, with nothing read, if the line begins otherwise.
    mutating func next(after prefix: String) -> ArraySlice<UInt8>? {
        var ahead = self
        guard let line = ahead.next(), line.starts(with: prefix.utf8) else { return nil }
        self = ahead
        return line.dropFirst(prefix.utf8.count)
    }
}

/// Text that equals another only byte for byte.
///
/// Swift takes two strings for equal when they look alike (`é` has two spellings in UTF-8). Whose signature it is, and which
/// log's checkpoint, must not depend on looks.
public struct ExactText: Hashable, Sendable, CustomStringConvertible {
    /// The text as it came.
    public let string: String

    /// Any text.
    public init(_ string: String) { self.string = string }

    /// The text itself.
    public var description: String { string }

    /// The bytes, in UTF-8.
    var bytes: [UInt8] { Array(string.utf8) }

    public static func == (left: Self, right: Self) -> Bool { left.string.utf8.elementsEqual(right.string.utf8) }

    public func hash(into hasher: inout Hasher) { for byte in string.utf8 { hasher.combine(byte) } }
}

/// Decimal numbers with one spelling: ASCII digits, no sign, no leading zero but in `0` itself.
enum Decimal {
    /// The number, nil when the text is none or is beyond `max`.
    static func number(_ text: ArraySlice<UInt8>, max: UInt64) -> UInt64? {
        guard let first = text.first, text.count == 1 || first != UInt8(ascii: "0") else { return nil }
        return digits(text, max: max)
    }

    /// The same as ``number(_:max:)``, but leading zeros are allowed.
    static func digits(_ text: ArraySlice<UInt8>, max: UInt64) -> UInt64? {
        guard !text.isEmpty else { return nil }
        var number: UInt64 = 0
        for digit in text {
            guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
            let (tens, tooMany) = number.multipliedReportingOverflow(by: 10)
            let (sum, tooLarge) = tens.addingReportingOverflow(UInt64(digit - UInt8(ascii: "0")))
            guard !tooMany, !tooLarge else { return nil }
            number = sum
        }
        return number <= max ? number : nil
    }
}
