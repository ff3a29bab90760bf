internal import Crypto

/// A SHA-256 hash in the tree, stored as four words, so that it is hashable and needs no allocation.
///
/// Comparison is not constant-time, because hashes of a public tree are not secret.
public struct NodeHash: Hashable, Sendable {
    public static let byteCount = 32

    /// Bytes 0 to 7. All words are big-endian.
    @usableFromInline let first: UInt64
    @usableFromInline let second: UInt64
    @usableFromInline let third: UInt64
    @usableFromInline let fourth: UInt64

    @inlinable
    init(_ first: UInt64, _ second: UInt64, _ third: UInt64, _ fourth: UInt64) {
        (self.first, self.second, self.third, self.fourth) = (first, second, third, fourth)
    }

    /// Reads a stored hash; nil unless there are exactly ``byteCount`` bytes.
    @inlinable
    public init?(_ bytes: Span<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init(Self.word(bytes, at: 0), Self.word(bytes, at: 8), Self.word(bytes, at: 16), Self.word(bytes, at: 24))
    }

    /// Reads a stored hash; nil unless there are exactly ``byteCount`` bytes.
    @inlinable
    public init?(_ bytes: [UInt8]) { self.init(bytes.span) }

    @inlinable
    static func word(_ bytes: Span<UInt8>, at offset: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in offset..<offset + 8 { word = word << 8 | UInt64(bytes[index]) }
        return word
    }

    /// The 32 bytes in a new array; ``append(to:)`` allocates none.
    public var bytes: [UInt8] {
        [UInt8](capacity: Self.byteCount) { output in
            for index in 0..<Self.byteCount { output.append(self[index]) }
        }
    }

    /// Appends the 32 bytes to a buffer.
    @inlinable
    public func append(to buffer: inout [UInt8]) { for index in 0..<Self.byteCount { buffer.append(self[index]) } }

    /// Byte `index`, from 0 to 31; traps for another index.
    @inlinable
    public subscript(index: Int) -> UInt8 {
        precondition(index >= 0 && index < Self.byteCount, "a hash has 32 bytes")
        let word = index < 16 ? (index < 8 ? first : second) : (index < 24 ? third : fourth)
        return UInt8(truncatingIfNeeded: word >> UInt64(56 - index % 8 * 8))
    }
}

extension NodeHash {
    init(_ digest: SHA256.Digest) {
        // As a sequence of bytes, the digest would allocate an array.
        self = unsafe digest.withUnsafeBytes { unsafe NodeHash(digestBytes: $0) }
    }

    private init(digestBytes bytes: UnsafeRawBufferPointer) {
        unsafe self.init(Self.word(bytes, 0), Self.word(bytes, 8), Self.word(bytes, 16), Self.word(bytes, 24))
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        unsafe UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Traps if the buffer is too short.
    @inline(__always)
    func write(over buffer: inout [UInt8], at offset: Int) {
        var output = buffer.mutableSpan
        Self.write(first, over: &output, at: offset)
        Self.write(second, over: &output, at: offset + 8)
        Self.write(third, over: &output, at: offset + 16)
        Self.write(fourth, over: &output, at: offset + 24)
    }

    /// Big-endian. A loop made hashing a node a third slower.
    @inline(__always)
    private static func write(_ word: UInt64, over output: inout MutableSpan<UInt8>, at offset: Int) {
        precondition(offset >= 0 && offset + 8 <= output.count, "no room for a hash")
        output[offset] = UInt8(truncatingIfNeeded: word >> 56)
        output[offset + 1] = UInt8(truncatingIfNeeded: word >> 48)
        output[offset + 2] = UInt8(truncatingIfNeeded: word >> 40)
        output[offset + 3] = UInt8(truncatingIfNeeded: word >> 32)
        output[offset + 4] = UInt8(truncatingIfNeeded: word >> 24)
        output[offset + 5] = UInt8(truncatingIfNeeded: word >> 16)
        output[offset + 6] = UInt8(truncatingIfNeeded: word >> 8)
        output[offset + 7] = UInt8(truncatingIfNeeded: word)
    }
}

extension NodeHash: CustomStringConvertible {
    /// 44 characters of Base64 (RFC 4648 §4), as in checkpoints and receipts.
    public var base64: String { Base64.text(bytes) }

    /// 64 lower-case hexadecimal digits.
    public var hex: String { Hexadecimal.text(bytes) }

    public var description: String { hex }

    /// Parses a hash as in a checkpoint; nil for any other spelling.
    public init?(base64 text: String) { self.init(base64: Array(text.utf8)[...]) }

    init?(base64 text: ArraySlice<UInt8>) {
        guard let bytes = Base64.bytes(text) else { return nil }
        self.init(bytes)
    }

    /// Parses 64 lower-case hexadecimal digits; nil for any other text.
    public init?(hex text: String) {
        guard let bytes = Hexadecimal.bytes(Array(text.utf8)[...]) else { return nil }
        self.init(bytes)
    }
}
