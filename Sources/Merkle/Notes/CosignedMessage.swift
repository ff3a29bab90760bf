/// A witness's signed message, and the stored form of its signature (C2SP tlog-cosignature, Ed25519).
enum CosignedMessage {
    private static let header = "cosignature/v1\n"
    private static let timeBytes = 8
    private static let signatureBytes = 64
    /// Seconds since 1970: 63 bits.
    static let timeMax = UInt64(Int64.max)

    /// The header distinguishes this message from a signed note.
    static func bytes(time: UInt64, text: ExactText) -> [UInt8] { Array("\(header)time \(time)\n".utf8) + text.bytes }

    /// The time in big-endian order, then the signature.
    static func stamped(time: UInt64, signature: [UInt8]) -> [UInt8] {
        (0..<timeBytes).map { UInt8(truncatingIfNeeded: time >> UInt64(56 - 8 * $0)) } + signature
    }

    /// Nil for a wrong length, or a time of more than 63 bits.
    static func parse(_ bytes: [UInt8]) -> (time: UInt64, signature: ArraySlice<UInt8>)? {
        guard bytes.count == timeBytes + signatureBytes else { return nil }
        let time = bytes.prefix(timeBytes).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return time <= timeMax ? (time, bytes.dropFirst(timeBytes)) : nil
    }
}
