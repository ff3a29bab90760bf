internal import Crypto

/// A master secret can be changed: data keys are wrapped anew, while codes, look-ups and signatures go on under the old root.
///
/// A folder begins with its master secret as root, or with one of its own. From the first change on, the root is kept beside the
/// data keys, wrapped by the master secret that is in force.
extension Keys {
    /// What the wrapped root is authenticated as.
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
