/// A field of a message, as `events.proto` has it.
struct ProtoField: Hashable, Sendable {
    let number: Int
    let name: String
    /// `uint32`, `bytes`, or the name of an enumeration.
    let type: String
    /// `optional`, `repeated`, or nothing.
    let label: String
    /// What is said above it, on one line: ranges, units, since which version.
    let comment: String

    /// Whether its bytes are under an account's key. The name says so, and has to.
    var isSealed: Bool { name.hasPrefix("sealed_") }

    /// How Protocol Buffers write it: 0 varint, 1 eight bytes, 2 bytes with a length, 5 four bytes.
    var wireType: Int {
        switch type {
        case "double", "fixed64", "sfixed64": 1
        case "string", "bytes": 2
        case "float", "fixed32", "sfixed32": 5
        default: 0
        }
    }

    /// The same in words.
    var wireText: String { [0: "varint", 1: "64 bits", 2: "bytes", 5: "32 bits"][wireType] ?? "?" }
}
