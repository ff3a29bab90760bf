/// Personal data as it may enter an event: encrypted under its owner's own data key, opaque here.
///
/// Destroying that key is what erases the person; the bytes stay where they are.
public struct Sealed: Hashable, Sendable {
    public let bytes: [UInt8]

    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}
