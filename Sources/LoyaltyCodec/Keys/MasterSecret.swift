internal import Crypto
public import Loyalty
internal import Merkle

/// The only secret that the operator has to keep: 32 random bytes, from which every other key is derived or unwrapped.
///
/// A folder's root secret is random and wrapped by the master secret, or is its first master secret. Rotating the master secret wraps the
/// root secret and every data key again in one transaction.
public struct MasterSecret: Sendable, Confidential {
    public static let length = 32

    let bytes: [UInt8]
    /// HKDF's pseudorandom key (PRK).
    private let extracted: HashKey

    /// - Throws: `badKey` unless there are exactly 32 bytes.
    public init(bytes: [UInt8]) throws(CodecError) {
        guard bytes.count == Self.length else { throw CodecError(.badKey, "the master key has \(bytes.count) bytes, not \(Self.length)") }
        self.bytes = bytes
        let secret = SymmetricKey(data: bytes)
        extracted = HashKey(Array(HKDF<SHA256>.extract(inputKeyMaterial: secret, salt: [UInt8]())))
    }

    /// Reads 64 hexadecimal digits or padded base64, ignoring white space around them.
    ///
    /// - Throws: `badKey`.
    public init(text: String) throws(CodecError) {
        let trimmed = text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()
        let digits = String(trimmed)
        let isHex = digits.utf8.count == 2 * Self.length
        guard let bytes = isHex ? Hexadecimal.bytes(digits.utf8, anyCase: true) : Base64.bytes(digits.utf8) else {
            throw CodecError(.badKey, "the master key is neither 64 hexadecimal digits nor base64")
        }
        try self.init(bytes: bytes)
    }

    /// HKDF-SHA256 (RFC 5869) without salt, of one step T(1) = HMAC(extracted, info ‖ 1). The library returns a raw pointer only.
    func derive(_ label: KeyLabel) -> [UInt8] { extracted.hash(Array(label.rawValue.utf8) + [1]) }
}

/// Rotation of the master secret. Codes, look-ups and signatures depend on the root secret, which never changes.
extension Keys {
    private static let rootContext = Array("greentea/v1/root".utf8)

    /// - Throws: `badKey` if another master secret wrapped the root secret, or the bytes were changed.
    public convenience init(wrappedRoot: [UInt8], master: MasterSecret) throws(CodecError) {
        guard let bytes = AuthenticatedBox.open(wrappedRoot, under: Self.rootKey(master), context: Self.rootContext) else {
            throw CodecError(.badKey, "the root secret does not open under this master key")
        }
        self.init(root: try MasterSecret(bytes: bytes), master: master)
    }

    public func under(_ master: MasterSecret) -> Keys { Keys(root: root, master: master) }

    /// The wrapped root secret, 61 bytes.
    ///
    /// - Parameter nonce: 12 random bytes, never used before.
    public func wrappedRoot(by master: MasterSecret, nonce: [UInt8]) throws(CodecError) -> [UInt8] {
        try AuthenticatedBox.seal(root.bytes, under: Self.rootKey(master), nonce: nonce, context: Self.rootContext)
    }

    private static func rootKey(_ master: MasterSecret) -> SymmetricKey { SymmetricKey(data: master.derive(.root)) }
}

/// Data keys are wrapped by the master secret and bound to their account or ``ShopID/keyHolder``.
extension Keys {
    /// The wrapped data key, 61 bytes.
    ///
    /// - Parameter nonce: 12 random bytes, never used before.
    public func wrap(_ dataKey: DataKey, for account: AccountID, nonce: [UInt8]) throws(CodecError) -> [UInt8] {
        try AuthenticatedBox.seal(dataKey.bytes, under: wrapping, nonce: nonce, context: account.value.bigEndianBytes)
    }

    /// - Throws: `badKey` for another account or master secret, and for changed bytes.
    public func unwrap(_ bytes: [UInt8], for account: AccountID) throws(CodecError) -> DataKey {
        guard let plain = AuthenticatedBox.open(bytes, under: wrapping, context: account.value.bigEndianBytes) else {
            throw CodecError(.badKey, "the wrapped data key of \(account.text) does not open under this master key")
        }
        return try DataKey(bytes: plain)
    }
}

/// The secrets that nodes of one root secret send each other. Their master secrets may differ, for example while they are rotated.
extension Keys {
    /// The length of a carried data key in bytes.
    public static let carriedKeyBytes = DataKey.length + 29

    private var carrying: SymmetricKey { SymmetricKey(data: root.derive(.carrying)) }

    /// A data key for another node, bound to its account or ``ShopID/keyHolder``.
    ///
    /// - Parameter nonce: 12 random bytes, never used before.
    public func carry(_ dataKey: DataKey, of account: AccountID, nonce: [UInt8]) throws(CodecError) -> [UInt8] {
        try AuthenticatedBox.seal(dataKey.bytes, under: carrying, nonce: nonce, context: account.value.bigEndianBytes)
    }

    /// - Throws: `badKey` for another account or root secret, and for changed bytes.
    public func carried(_ bytes: [UInt8], of account: AccountID) throws(CodecError) -> DataKey {
        guard let plain = AuthenticatedBox.open(bytes, under: carrying, context: account.value.bigEndianBytes) else {
            throw CodecError(.badKey, "another node's data key of \(account.text) does not open under this root secret")
        }
        return try DataKey(bytes: plain)
    }

    /// A message for another node, 29 bytes longer than `plain`.
    ///
    /// - Parameters:
    ///   - purpose: the kind of message, and its subject; not sent. MUST NOT have 16 bytes, like an account.
    ///   - nonce: 12 random bytes, never used before.
    public func sealed(_ plain: [UInt8], for purpose: String, nonce: [UInt8]) throws(CodecError) -> [UInt8] {
        try AuthenticatedBox.seal(plain, under: carrying, nonce: nonce, context: Array(purpose.utf8))
    }

    /// nil for another purpose or root secret, and for changed bytes.
    public func opened(_ message: [UInt8], for purpose: String) -> [UInt8]? {
        AuthenticatedBox.open(message, under: carrying, context: Array(purpose.utf8))
    }
}
