internal import Crypto

/// The one secret that an operator keeps: 32 random bytes, from which every other key is derived. It is in no log.
public struct MasterSecret: Sendable, Confidential {
    /// In bytes.
    public static let length = 32

    /// For wrapping; nothing else may see them.
    let bytes: [UInt8]
    /// HKDF's pseudorandom key: all that derivation needs.
    private let extracted: HashKey

    /// Takes 32 random bytes; it cannot be told from here whether they are random.
    ///
    /// - Throws: `CodecError.Code.badKey` unless there are exactly 32 bytes.
    public init(bytes: [UInt8]) throws(CodecError) {
        guard bytes.count == Self.length else {
            throw CodecError(.badKey, "the master secret has \(bytes.count) bytes, not \(Self.length)")
        }
        self.bytes = bytes
        let secret = SymmetricKey(data: bytes)
        extracted = HashKey(Array(HKDF<SHA256>.extract(inputKeyMaterial: secret, salt: [UInt8]())))
    }

    /// Reads 64 hexadecimal digits or padded base64; white space around them, such as a file's last newline, is ignored.
    ///
    /// - Throws: `CodecError.Code.badKey` for other text and for another length.
    public init(text: String) throws(CodecError) {
        let trimmed = text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()
        let digits = String(trimmed)
        let isHex = digits.utf8.count == 2 * Self.length
        guard let bytes = isHex ? Hex.bytes(digits) : Base64.bytes(digits) else {
            throw CodecError(.badKey, "the master secret is neither 64 hexadecimal digits nor base64")
        }
        try self.init(bytes: bytes)
    }

    /// 32 bytes for one use: HKDF-SHA256 (RFC 5869) without salt, the label as `info`.
    ///
    /// Expanding to the length of one hash takes one step, T(1) = HMAC(extracted, info ‖ 1). Written out because the library
    /// gives a derived key's bytes through a raw pointer only.
    func derive(_ label: KeyLabel) -> [UInt8] {
        extracted.hash(Array(label.rawValue.utf8) + [1])
    }
}
