internal import Crypto

/// The key that seals one account's or one shop's data. Destroying every copy of the key erases the data.
public struct DataKey: Sendable, Equatable, Confidential {
    public static let length = 32

    /// Read only by ``key`` and the code that wraps it.
    let bytes: [UInt8]

    /// - Parameter bytes: random; this module draws no random numbers.
    public init(bytes: [UInt8]) throws(CodecError) {
        guard bytes.count == Self.length else { throw CodecError(.badKey, "a data key has \(bytes.count) bytes, not \(Self.length)") }
        self.bytes = bytes
    }

    var key: SymmetricKey { SymmetricKey(data: bytes) }
}

/// The only form of sealed bytes: version byte 1, nonce of 12 bytes, AES-256-GCM ciphertext, tag of 16 bytes.
enum AuthenticatedBox {
    static let version: UInt8 = 1
    static let nonceLength = 12
    private static let tagLength = 16

    /// - Parameter context: owner and kind of the data; authenticated, but not stored.
    static func seal(_ plain: [UInt8], under key: SymmetricKey, nonce: [UInt8], context: [UInt8]) throws(CodecError) -> [UInt8] {
        guard nonce.count == nonceLength else { throw CodecError(.badKey, "a nonce has \(nonce.count) bytes, not \(nonceLength)") }
        do {
            let box = try AES.GCM.seal(plain, using: key, nonce: AES.GCM.Nonce(data: nonce), authenticating: context)
            return [version] + nonce + Array(box.ciphertext) + Array(box.tag)
        } catch {
            throw CodecError(.badKey, "AES-GCM refused to seal: \(error)")
        }
    }

    /// nil if anything is wrong or any bit was changed.
    static func open(_ sealed: [UInt8], under key: SymmetricKey, context: [UInt8]) -> [UInt8]? {
        guard sealed.first == version, sealed.count >= 1 + nonceLength + tagLength else { return nil }
        guard let box = try? AES.GCM.SealedBox(combined: sealed.dropFirst()) else { return nil }
        return (try? AES.GCM.open(box, using: key, authenticating: context)).map { Array($0) }
    }
}

/// A value that must not reach a log by being printed, interpolated or dumped.
protocol Confidential: CustomStringConvertible, CustomReflectable {}

extension Confidential {
    public var description: String { "\(Self.self)(not shown)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
