internal import CLMDB

/// CRC-32C, the checksum of stored blocks (Castagnoli 1993, RFC 3720): against damage, not against an adversary.
///
/// It finds every error of up to 32 neighbouring bits and any three bits of a block. Measured for 16 KiB on two cores at 3 GHz,
/// 2026-11-23: 1.8 µs by the processor's instruction, where SHA-256 takes 10 to 12 µs; 70 µs without the instruction.
public enum CRC32C {
    private static let hasInstruction = clmdb_has_crc32c() != 0

    /// The checksum of some bytes.
    public static func checksum(of bytes: Span<UInt8>) -> UInt32 {
        guard hasInstruction else { return plainChecksum(of: bytes) }
        // SAFETY: the bytes are live during the call, and the function reads no further than their count.
        return unsafe bytes.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return 0 }
            return unsafe clmdb_crc32c(start, buffer.count)
        }
    }

    /// The same by a table of 16 entries, for processors without the instruction.
    static func plainChecksum(of bytes: Span<UInt8>) -> UInt32 {
        var state: UInt32 = ~0
        for index in bytes.indices {
            state ^= UInt32(bytes[index])
            state = state >> 4 ^ nibbles[Int(state & 15)]
            state = state >> 4 ^ nibbles[Int(state & 15)]
        }
        return ~state
    }

    private static let nibbles: [UInt32] = (0..<16).map { number in
        (0..<4).reduce(UInt32(number)) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0x82F6_3B78 }
    }
}
