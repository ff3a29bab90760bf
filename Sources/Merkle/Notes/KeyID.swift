internal import Crypto

/// The four bytes by which a signature line says which key of a name made it. They are a hint, not a proof.
public struct KeyID: Hashable, Sendable, CustomStringConvertible {
    /// Bytes of an id.
    static let byteCount = 4
    /// The four bytes, the first being the most significant.
    public let rawValue: UInt32

    /// An id as it stands somewhere.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The first four bytes; nil when there are fewer.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count >= Self.byteCount else { return nil }
        rawValue = bytes.prefix(Self.byteCount).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The id that a key gets: of SHA-256(name ‖ newline ‖ kind ‖ public key) (C2SP signed-note).
    init(name: ExactText, kind: SignatureKind, publicKey: [UInt8]) {
        let digest = SHA256.hash(data: name.bytes + [LineReader.newline, kind.rawValue] + publicKey)
        rawValue = digest.prefix(Self.byteCount).reduce(0) { $0 << 8 | UInt32($1) }
    }

    var bytes: [UInt8] { (0..<Self.byteCount).map { UInt8(truncatingIfNeeded: rawValue >> UInt32(24 - 8 * $0)) } }

    /// Eight hexadecimal digits, as in a verifier key.
    public var description: String { Hexadecimal.text(bytes) }
}
