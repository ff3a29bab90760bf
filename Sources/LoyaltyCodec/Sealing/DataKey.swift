internal import Crypto

/// The key under which one account's personal data is sealed. Destroying every copy of it erases the person.
public struct DataKey: Sendable, Equatable, Confidential {
    /// In bytes.
    public static let length = 32

    /// For wrapping; nothing else may see them.
    let bytes: [UInt8]

    /// Takes 32 random bytes, drawn by the caller: nothing here draws any.
    ///
    /// - Throws: `CodecError.Code.badKey` unless there are exactly 32.
    public init(bytes: [UInt8]) throws(CodecError) {
        guard bytes.count == Self.length else {
            throw CodecError(.badKey, "a data key has \(bytes.count) bytes, not \(Self.length)")
        }
        self.bytes = bytes
    }

    var key: SymmetricKey { SymmetricKey(data: bytes) }
}
