/// A SHA-256 hash in the tree: 32 bytes, held as four words so that it is hashable, small and needs no allocation.
///
/// Equality is not constant-time: hashes of a public tree are no secrets.
public struct NodeHash: Hashable, Sendable {
    /// Bytes of a hash, in memory, in a tile and in the log.
    public static let byteCount = 32

    /// Bytes 0 to 7, the first byte being the most significant, as in all four words.
    @usableFromInline let first: UInt64
    @usableFromInline let second: UInt64
    @usableFromInline let third: UInt64
    @usableFromInline let fourth: UInt64

    @inlinable
    init(_ first: UInt64, _ second: UInt64, _ third: UInt64, _ fourth: UInt64) {
        self.first = first
        self.second = second
        self.third = third
        self.fourth = fourth
    }

    /// A stored hash; nil unless there are just ``byteCount`` bytes.
    @inlinable
    public init?(_ bytes: Span<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init(
            Self.word(bytes, at: 0), Self.word(bytes, at: 8), Self.word(bytes, at: 16), Self.word(bytes, at: 24))
    }

    /// A stored hash; nil unless there are just ``byteCount`` bytes.
    @inlinable
    public init?(_ bytes: [UInt8]) { self.init(bytes.span) }

    @inlinable
    static func word(_ bytes: Span<UInt8>, at offset: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in offset..<offset + 8 { word = word << 8 | UInt64(bytes[index]) }
        return word
    }

    /// The 32 bytes. Allocates; ``append(to:)`` writes them into a buffer that is there already.
    public var bytes: [UInt8] {
        [UInt8](capacity: Self.byteCount) { output in
            for index in 0..<Self.byteCount { output.append(self[index]) }
        }
    }

    /// Appends the 32 bytes to a buffer.
    @inlinable
    public func append(to buffer: inout [UInt8]) {
        for index in 0..<Self.byteCount { buffer.append(self[index]) }
    }

    /// Byte `index`, 0 to 31; traps elsewhere.
    @inlinable
    public subscript(index: Int) -> UInt8 {
        precondition(index >= 0 && index < Self.byteCount, "a hash has 32 bytes")
        let word = index < 16 ? (index < 8 ? first : second) : (index < 24 ? third : fourth)
        return UInt8(truncatingIfNeeded: word >> UInt64(56 - index % 8 * 8))
    }
}
