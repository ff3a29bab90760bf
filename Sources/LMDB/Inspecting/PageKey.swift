/// A key as it stands in a page, in the order of its table.
struct PageKey: Hashable, Comparable, CustomStringConvertible {
    /// The key of a table of integers; 0 in others.
    let number: UInt64
    /// The key of a table of bytes; empty in others, so that comparing numbers costs no walk.
    let bytes: [UInt8]

    static func < (left: PageKey, right: PageKey) -> Bool {
        left.number == right.number ? left.bytes.lexicographicallyPrecedes(right.bytes) : left.number < right.number
    }

    var description: String { bytes.isEmpty ? "\(number)" : "\(bytes)" }
}
