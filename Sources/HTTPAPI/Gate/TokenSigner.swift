import Crypto
import Foundation
import JWTKit
import Loyalty
import LoyaltyCodec
import Merkle
import Synchronization

/// Signatures and seals for clients, under keys derived from one seed.
struct Signing: Sendable {
    let tokens: TokenSigner
    let cursors: CursorSeal
    let badges: BadgeSeal

    init(seed: [UInt8]) throws {
        tokens = try TokenSigner(seed: seed)
        (cursors, badges) = (CursorSeal(seed: seed), BadgeSeal(seed: seed))
    }
}

/// Makes and verifies access tokens: JWTs under Ed25519 keys, one for each thirty days (``TokenKey``). A token is valid for fifteen minutes
/// under the key of its month, so a leaked key is soon useless, and nobody rotates keys. Verification takes about 100 µs; `Gate` keeps the
/// result.
struct TokenSigner: Sendable {
    private let seed: [UInt8]
    private let keys = JWTKeyCollection()
    /// The keys that were derived last.
    private let made: Made

    private final class Made: Sendable {
        let keys = Mutex<[Int64: TokenKey]>([:])
    }

    init(seed: [UInt8]) throws {
        self.seed = seed
        made = Made()
        // Fails at the start if keys cannot be derived.
        _ = try TokenKey(number: 0, seed: seed)
    }

    func token(for bearer: SignedInAs, at now: Instant) async throws -> String {
        let issued = now.seconds
        let claims = AccessClaims(
            iss: AccessClaims.issuer, sub: bearer.account.text, sid: bearer.session.text, iat: issued,
            exp: issued + Limits.accessTokenSeconds)
        let key = try key(TokenKey.number(at: issued))
        return try await collection(with: key).sign(claims, kid: key.kid)
    }

    /// Nil if the token is malformed or not ours. The caller checks the times.
    ///
    /// - Parameter now: only the keys of this month, the previous and the next are accepted.
    func verify(_ token: String, at now: Instant) async -> VerifiedToken? {
        let bytes = Array(token.utf8)
        guard Self.isCanonical(bytes) else { return nil }
        // Checked before the library chooses a key, so that `alg: none` or a missing key name is refused.
        guard let header = try? DefaultJWTParser().parse(bytes, as: AccessClaims.self).header, header.alg == "EdDSA",
            let key = key(named: header.kid, at: now), let claims = try? await collection(with: key).verify(bytes, as: AccessClaims.self),
            claims.iss == AccessClaims.issuer, TokenKey.number(at: claims.iat) == key.number,
            claims.exp <= claims.iat + Limits.accessTokenSeconds, let account = AccountID(text: claims.sub),
            let session = SessionID(text: claims.sid)
        else { return nil }
        return VerifiedToken(
            bearer: SignedInAs(account: account, session: session), issuedAt: .seconds(claims.iat), expiresAt: .seconds(claims.exp))
    }

    /// Whether the parts are canonical base64url (RFC 4648, 3.5 and 5). Decoders ignore unused bits, so one token would have several
    /// spellings for the cache, block lists and the log.
    private static func isCanonical(_ token: [UInt8]) -> Bool {
        let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 3 && parts.allSatisfy { isCanonical(part: $0) }
    }

    private static func isCanonical(part: ArraySlice<UInt8>) -> Bool {
        guard let last = part.last.flatMap({ value(of: $0) }), part.allSatisfy({ value(of: $0) != nil }) else { return false }
        return switch part.count % 4 {
        case 0: true
        case 2: last & 0b1111 == 0
        case 3: last & 0b11 == 0
        default: false
        }
    }

    /// Nil for other characters.
    private static func value(of letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): letter - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): letter - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): letter - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }

    /// The neighbouring months are accepted because clocks differ.
    private func key(named kid: String?, at now: Instant) -> TokenKey? {
        guard let kid, let number = kid.split(separator: "-").first.flatMap({ Int64($0) }) else { return nil }
        let current = TokenKey.number(at: now.seconds)
        guard (current - 1...current + 1).contains(number), let key = try? key(number), key.kid.string == kid else { return nil }
        return key
    }

    func key(_ number: Int64) throws -> TokenKey {
        if let known = made.keys.withLock({ $0[number] }) { return known }
        let key = try TokenKey(number: number, seed: seed)
        made.keys.withLock { keys in
            keys = keys.filter { abs($0.key - number) <= 1 }
            keys[number] = key
        }
        return key
    }

    /// Adding the same key again changes nothing.
    private func collection(with key: TokenKey) async -> JWTKeyCollection { await keys.add(eddsa: key.privateKey, kid: key.kid) }
}

extension Instant {
    fileprivate static func seconds(_ seconds: Int64) -> Instant { Instant(microseconds: 0).advanced(bySeconds: seconds) }

    fileprivate var seconds: Int64 { microseconds / 1_000_000 }
}

/// A month's key for access tokens, derived from the service's seed and stored nowhere.
struct TokenKey: Sendable {
    /// Counted from 1970 in periods of ``Limits/tokenKeySeconds``.
    let number: Int64
    let privateKey: EdDSA.PrivateKey
    /// The number, and half of the public key's SHA-256.
    let kid: JWKIdentifier

    init(number: Int64, seed: [UInt8]) throws {
        let info = Array("greentea/v1/token-key/\(number)".utf8)
        let bytes = Array(HMAC<SHA256>.authenticationCode(for: info, using: SymmetricKey(data: seed)))
        let signing = try Curve25519.Signing.PrivateKey(rawRepresentation: bytes)
        let digest = SHA256.hash(data: signing.publicKey.rawRepresentation)
        self.number = number
        privateKey = EdDSA.PrivateKey(backing: signing)
        kid = JWKIdentifier(string: "\(number)-" + Hexadecimal.text(digest.prefix(16)))
    }

    static func number(at seconds: Int64) -> Int64 { seconds / Limits.tokenKeySeconds }
}

/// RFC 7519. Times are seconds since 1970.
struct AccessClaims: JWTPayload {
    static let issuer = "greentea"

    let iss: String
    let sub: String
    let sid: String
    let iat: Int64
    let exp: Int64

    /// `TokenSigner` compares the times with the service's clock instead.
    func verify(using algorithm: some JWTAlgorithm) throws {}
}

struct VerifiedToken: Hashable, Sendable {
    let bearer: SignedInAs
    let issuedAt: Instant
    let expiresAt: Instant
}
