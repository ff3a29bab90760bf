internal import Crypto

extension NodeHash {
    /// A finished digest. Its iterator is an array's: one small allocation, since the bytes themselves are behind a pointer.
    init(_ digest: SHA256.Digest) {
        var bytes = digest.makeIterator()
        self.init(Self.word(&bytes), Self.word(&bytes), Self.word(&bytes), Self.word(&bytes))
    }

    @inline(__always)
    private static func word(_ bytes: inout [UInt8].Iterator) -> UInt64 {
        var word: UInt64 = 0
        for _ in 0..<8 { word = word << 8 | UInt64(bytes.next() ?? 0) }
        return word
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
