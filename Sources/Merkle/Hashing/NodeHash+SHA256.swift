internal import Crypto

extension NodeHash {
    /// A finished digest.
    init(_ digest: SHA256.Digest) {
        // As a sequence of bytes it would be an array first.
        self = unsafe digest.withUnsafeBytes { unsafe NodeHash(digestBytes: $0) }
    }

    private init(digestBytes bytes: UnsafeRawBufferPointer) {
        unsafe self.init(Self.word(bytes, 0), Self.word(bytes, 8), Self.word(bytes, 16), Self.word(bytes, 24))
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        unsafe UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Writes the 32 bytes over those of a buffer from `offset` on; traps when the buffer is too short.
    @inline(__always)
    func write(over buffer: inout [UInt8], at offset: Int) {
        var output = buffer.mutableSpan
        Self.write(first, over: &output, at: offset)
        Self.write(second, over: &output, at: offset + 8)
        Self.write(third, over: &output, at: offset + 16)
        Self.write(fourth, over: &output, at: offset + 24)
    }

    /// Eight stores written out: as a loop they made hashing a node a third slower.
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
