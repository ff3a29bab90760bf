/// The message that a witness signs, and the stored form of its signature (C2SP tlog-cosignature, the Ed25519 form).
enum CosignedMessage {
    private static let header = "cosignature/v1\n"
    private static let timeBytes = 8
    private static let signatureBytes = 64
    /// The latest time that can be signed, in seconds since 1970: 63 bits.
    static let timeMax = UInt64(Int64.max)

    /// The signed bytes: a header that distinguishes this message from a signed note, then the time and the checkpoint's text.
    static func bytes(time: UInt64, text: ExactText) -> [UInt8] {
        Array("\(header)time \(time)\n".utf8) + text.bytes
    }

    /// The stored form of a witness's signature: the time in big-endian order, then the signature.
    static func stamped(time: UInt64, signature: [UInt8]) -> [UInt8] {
        (0..<timeBytes).map { UInt8(truncatingIfNeeded: time >> UInt64(56 - 8 * $0)) } + signature
    }

    /// Parses the stored form of a witness's signature; nil if its length is wrong or the time has more than 63 bits.
    static func parse(_ bytes: [UInt8]) -> (time: UInt64, signature: ArraySlice<UInt8>)? {
        guard bytes.count == timeBytes + signatureBytes else { return nil }
        let time = bytes.prefix(timeBytes).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return time <= timeMax ? (time, bytes.dropFirst(timeBytes)) : nil
    }
}
