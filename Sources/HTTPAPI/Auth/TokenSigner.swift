import Crypto
import Foundation
import JWTKit
import Loyalty
import LoyaltyCodec

/// Makes and reads access tokens: JWTs under the service's own Ed25519 key.
///
/// Reading costs a signature check, about 100 µs; `Gate` sees to it that this is paid once a token.
struct TokenSigner: Sendable {
    private let keys = JWTKeyCollection()
    private let key: EdDSA.PrivateKey
    /// Names the key, so that another may take its place some day: the first half of the public key's SHA-256.
    let kid: JWKIdentifier

    init(seed: [UInt8]) throws {
        let signing = try Curve25519.Signing.PrivateKey(rawRepresentation: seed)
        key = EdDSA.PrivateKey(backing: signing)
        let digest = SHA256.hash(data: signing.publicKey.rawRepresentation)
        kid = JWKIdentifier(string: digest.prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
    }

    func token(for bearer: SignedInAs, at now: Instant) async throws -> String {
        let issued = now.microseconds / 1_000_000
        let claims = AccessClaims(
            iss: AccessClaims.issuer, sub: bearer.account.text, sid: bearer.session.text, iat: issued,
            exp: issued + Limits.accessTokenSeconds)
        return try await collection().sign(claims, kid: kid)
    }

    /// What a token says, if it is one of ours; `nil` for another key, another algorithm and anything malformed.
    func verify(_ token: String) async -> VerifiedToken? {
        let bytes = Array(token.utf8)
        // Named before the library chooses: a token that calls itself `none`, or names no key, is not looked at any further.
        guard let header = try? DefaultJWTParser().parse(bytes, as: AccessClaims.self).header, header.alg == "EdDSA",
            header.kid == kid.string, let claims = try? await collection().verify(bytes, as: AccessClaims.self),
            claims.iss == AccessClaims.issuer, let account = AccountID(text: claims.sub), let session = SessionID(text: claims.sid)
        else { return nil }
        return VerifiedToken(
            bearer: SignedInAs(account: account, session: session), issuedAt: .seconds(claims.iat), expiresAt: .seconds(claims.exp))
    }

    /// The collection is an actor; adding the same key again changes nothing.
    private func collection() async -> JWTKeyCollection {
        await keys.add(eddsa: key, kid: kid)
    }
}

extension Instant {
    fileprivate static func seconds(_ seconds: Int64) -> Instant {
        Instant(microseconds: 0).advanced(bySeconds: seconds)
    }
}
