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
