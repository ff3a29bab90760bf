internal import Crypto
public import Loyalty
internal import Merkle

/// The one secret that an operator keeps: 32 random bytes, from which every other key is derived. It is in no log.
///
/// A folder with a key of its own has a random root secret that the master key wraps. Rotating the master key rewraps it and every data key
/// in one transaction. In older folders the master key is the root secret itself; they open as before.
public struct MasterSecret: Sendable, Confidential {
    /// The length in bytes.
    public static let length = 32

    /// The secret's bytes, for wrapping only.
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
        guard let bytes = isHex ? Hexadecimal.bytes(digits.utf8, anyCase: true) : Base64.bytes(digits.utf8) else {
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

/// A master secret can be changed: data keys are wrapped anew, while codes, look-ups and signatures go on under the old root.
///
/// A folder begins with its master secret as root, or with one of its own. From the first change on, the root is kept beside the
/// data keys, wrapped by the master secret that is in force.
extension Keys {
    /// The authenticated context of the wrapped root.
    private static let rootContext = Array("greentea/v1/root".utf8)

    /// The keys of a folder whose root is kept.
    ///
    /// - Throws: `CodecError.Code.badKey` where another master secret wrapped the root, or the bytes were changed.
    public convenience init(wrappedRoot: [UInt8], master: MasterSecret) throws(CodecError) {
        guard let bytes = AuthenticatedBox.open(wrappedRoot, under: Self.rootKey(master), context: Self.rootContext) else {
            throw CodecError(.badKey, "the root secret does not open under this master secret")
        }
        self.init(root: try MasterSecret(bytes: bytes), master: master)
    }

    /// The same keys, but for the wrapping: that is another master secret's from now on.
    public func under(_ master: MasterSecret) -> Keys {
        Keys(root: root, master: master)
    }

    /// The root as it may be stored: 61 bytes.
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

/// Data keys are stored wrapped by the master secret and bound to their account.
extension Keys {
    /// The data key as it may be stored: 61 bytes, bound to the account.
    ///
    /// - Parameter nonce: 12 random bytes, never used before.
    /// - Throws: `CodecError.Code.badKey` for a nonce of another length.
    public func wrap(_ dataKey: DataKey, for account: AccountID, nonce: [UInt8]) throws(CodecError) -> [UInt8] {
        try AuthenticatedBox.seal(dataKey.bytes, under: wrapping, nonce: nonce, context: account.value.bigEndianBytes)
    }

    /// The data key that was wrapped for this account.
    ///
    /// - Throws: `CodecError.Code.badKey` where the bytes were wrapped for another account, by another master secret, or changed.
    public func unwrap(_ bytes: [UInt8], for account: AccountID) throws(CodecError) -> DataKey {
        guard let plain = AuthenticatedBox.open(bytes, under: wrapping, context: account.value.bigEndianBytes) else {
            throw CodecError(.badKey, "the wrapped data key of \(account.text) does not open under this master secret")
        }
        return try DataKey(bytes: plain)
    }
}
