/// What a key signs, and how: the assigned type bytes of C2SP signed-note.
public struct SignatureKind: Hashable, Sendable, CustomStringConvertible {
    /// The byte in front of the public key.
    public let rawValue: UInt8

    /// Any kind; those that are not named here are kept and never verified.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Ed25519 over the note's text: what a log signs its checkpoints with.
    public static let ed25519 = SignatureKind(rawValue: 0x01)
    /// Ed25519 over a time and a checkpoint: what a witness signs with (C2SP tlog-cosignature).
    public static let cosignature = SignatureKind(rawValue: 0x04)
    /// ML-DSA-44 over a time and a tree head (C2SP tlog-cosignature). Recognized, not verified here.
    public static let cosignatureMLDSA44 = SignatureKind(rawValue: 0x06)

    /// Bytes of a public key; nil where this library does not know them.
    var publicKeyBytes: Int? {
        switch self {
        case .ed25519, .cosignature: 32
        case .cosignatureMLDSA44: 1_312
        default: nil
        }
    }

    /// Whether signatures of this kind can be verified here; others are treated as those of unknown keys.
    public var isVerifiable: Bool { self == .ed25519 || self == .cosignature }

    /// Two hexadecimal digits.
    public var description: String { Hexadecimal.text([rawValue]) }
}
