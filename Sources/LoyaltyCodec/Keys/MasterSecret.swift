internal import Crypto
public import Loyalty
internal import Merkle

/// The only secret that the operator has to keep: 32 random bytes. With it every other key can be derived or unwrapped. No log contains it.
///
/// Some data folders have a random root secret of their own, which the master secret wraps. Rotating the master secret wraps the root
/// secret and every data key again in one transaction. In other folders, including all older ones, the master secret itself is the root
/// secret until it is rotated.
public struct MasterSecret: Sendable, Confidential {
    /// The length of the master secret in bytes.
    public static let length = 32

    /// The secret's bytes, which only the code that wraps the root secret reads.
    let bytes: [UInt8]
    /// HKDF's pseudorandom key (PRK), from which all other keys are derived.
    private let extracted: HashKey

    /// Creates a master secret from 32 random bytes. It cannot check that they are random.
    ///
    /// - Throws: `CodecError.Code.badKey` unless there are exactly 32 bytes.
    public init(bytes: [UInt8]) throws(CodecError) {
        guard bytes.count == Self.length else {
            throw CodecError(.badKey, "the master key has \(bytes.count) bytes, not \(Self.length)")
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
        guard let bytes = isHex ? Hexadecimal.bytes(digits.utf8, anyCase: true) : Base64.bytes(digits.utf8) else {
            throw CodecError(.badKey, "the master key is neither 64 hexadecimal digits nor base64")
        }
        try self.init(bytes: bytes)
    }

    /// Derives the 32 bytes of the key for one purpose: HKDF-SHA256 (RFC 5869) without salt, with the label as `info`.
    ///
    /// Expanding to the length of one hash takes one step, T(1) = HMAC(extracted, info ‖ 1). The step is written out because the library
    /// returns derived bytes through a raw pointer only.
    func derive(_ label: KeyLabel) -> [UInt8] {
        extracted.hash(Array(label.rawValue.utf8) + [1])
    }
}

/// Support for changing the master secret. After a change, the new master secret wraps the data keys. The keys of codes, look-ups and
/// signatures are derived from the root secret, which never changes.
///
/// A folder uses its first master secret as the root secret, or has a root secret of its own. Its own root secret is stored beside the data
/// keys, wrapped by the present master secret. After the first change of the master secret, every folder stores its root secret in this
/// way.
extension Keys {
    /// The bytes that are authenticated with a wrapped root secret.
    private static let rootContext = Array("greentea/v1/root".utf8)

    /// Derives the keys of a folder that stores a wrapped root secret.
    ///
    /// - Throws: `CodecError.Code.badKey` if another master secret wrapped the root secret, or the bytes were changed.
    public convenience init(wrappedRoot: [UInt8], master: MasterSecret) throws(CodecError) {
        guard let bytes = AuthenticatedBox.open(wrappedRoot, under: Self.rootKey(master), context: Self.rootContext) else {
            throw CodecError(.badKey, "the root secret does not open under this master key")
        }
        self.init(root: try MasterSecret(bytes: bytes), master: master)
    }

    /// A copy of these keys that wraps data keys by another master secret.
    public func under(_ master: MasterSecret) -> Keys {
        Keys(root: root, master: master)
    }

    /// The root secret, wrapped by `master`, as it is stored: 61 bytes.
    ///
    /// - Parameter nonce: 12 random bytes, never used before.
    /// - Throws: `CodecError.Code.badKey` for a nonce of another length.
    public func wrappedRoot(by master: MasterSecret, nonce: [UInt8]) throws(CodecError) -> [UInt8] {
        try AuthenticatedBox.seal(root.bytes, under: Self.rootKey(master), nonce: nonce, context: Self.rootContext)
    }

    private static func rootKey(_ master: MasterSecret) -> SymmetricKey {
        SymmetricKey(data: master.derive(.root))
    }
}

/// Data keys are stored wrapped by the master secret and bound to their account, or to their shop's ``ShopID/keyHolder``.
extension Keys {
    /// The data key, wrapped by the master secret and bound to the account, as it is stored: 61 bytes.
    ///
    /// - Parameter nonce: 12 random bytes, never used before.
    /// - Throws: `CodecError.Code.badKey` for a nonce of another length.
    public func wrap(_ dataKey: DataKey, for account: AccountID, nonce: [UInt8]) throws(CodecError) -> [UInt8] {
        try AuthenticatedBox.seal(dataKey.bytes, under: wrapping, nonce: nonce, context: account.value.bigEndianBytes)
    }

    /// The data key that was wrapped for this account.
    ///
    /// - Throws: `CodecError.Code.badKey` if the bytes were wrapped for another account or by another master secret, or were changed.
    public func unwrap(_ bytes: [UInt8], for account: AccountID) throws(CodecError) -> DataKey {
        guard let plain = AuthenticatedBox.open(bytes, under: wrapping, context: account.value.bigEndianBytes) else {
            throw CodecError(.badKey, "the wrapped data key of \(account.text) does not open under this master key")
        }
        return try DataKey(bytes: plain)
    }
}
