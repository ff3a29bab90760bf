import Crypto
import Foundation
import JWTKit
import Loyalty

/// A key that signs access tokens, good for those of one month.
///
/// All of them follow from the service's seed, so that no server has to be told of a new one and none is stored.
struct TokenKey: Sendable {
    /// Which one it is: months of ``Limits/tokenKeySeconds`` since 1970.
    let number: Int64
    let privateKey: EdDSA.PrivateKey
    /// Its name in tokens: the number, and the first half of the public key's SHA-256.
    let kid: JWKIdentifier

    init(number: Int64, seed: [UInt8]) throws {
        let info = Array("greentea/v1/token-key/\(number)".utf8)
        let bytes = Array(HMAC<SHA256>.authenticationCode(for: info, using: SymmetricKey(data: seed)))
        let signing = try Curve25519.Signing.PrivateKey(rawRepresentation: bytes)
        let digest = SHA256.hash(data: signing.publicKey.rawRepresentation)
        self.number = number
        privateKey = EdDSA.PrivateKey(backing: signing)
        kid = JWKIdentifier(string: "\(number)-" + digest.prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
    }

    /// Which key signs at a moment.
    static func number(at seconds: Int64) -> Int64 { seconds / Limits.tokenKeySeconds }
}
