import CommandService
import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import JWTKit
import Loyalty
import LoyaltyCodec
import Testing

@testable import HTTPAPI

@Suite("access tokens")
struct TokenTests {
    private let phone = "+8613800138009"

    private func expectRefused(_ token: String?, by visitor: Visitor, _ code: String = "unauthenticated") async throws {
        var visitor = visitor
        visitor.token = token
        let reply = try await visitor.get("/v1/me")
        try reply.expectProblem(code, 401)
        #expect(reply.headers[.wwwAuthenticate]?.hasPrefix("Bearer") == true)
    }

    @Test("none, and what is none of ours")
    func foreign() async throws {
        try await onStage { _, visitor in
            let signedIn = try await visitor.signedIn(phone)
            let good = try #require(signedIn.token)
            let parts = good.split(separator: ".").map(String.init)
            let none = Data(#"{"alg":"none","typ":"JWT"}"#.utf8).base64EncodedString().filter { $0 != "=" }
            for token in [
                nil, "", "x", "a.b.c", "..", "....", good + "x", String(good.dropLast(2)), "\(parts[0]).\(parts[1]).",
                "\(none).\(parts[1]).", "\(none).\(parts[1]).\(parts[2])", "\(parts[0]).\(parts[1] + "AA").\(parts[2])",
                String(repeating: "a", count: 5_000),
            ] {
                try await expectRefused(token, by: signedIn)
            }
            for header in ["Basic \(good)", good, "Bearer", "Bearer  \(good)", "Bearer \(good) \(good)"] {
                let reply = try await visitor.get("/v1/me", headers: [.authorization: header])
                try reply.expectProblem("unauthenticated", 401)
            }
            #expect(try await visitor.get("/v1/me", headers: [.authorization: "bearer \(good)"]).status == 200)
        }
    }

    @Test("expired by the service's clock, cached or not, and good until then")
    func expired() async throws {
        try await onStage { stage, visitor in
            let signedIn = try await visitor.signedIn(phone)
            stage.clock.advance(seconds: 899)
            #expect(try await signedIn.get("/v1/me").status == 200)
            stage.clock.advance(seconds: 1)
            try await expectRefused(signedIn.token, by: visitor, "tokenExpired")
            let unseen = try await visitor.signedIn(phone)
            stage.clock.advance(seconds: 900)
            try await expectRefused(unseen.token, by: visitor, "tokenExpired")
        }
    }

    @Test("from the future, of another key, of another issuer, with another algorithm, of no session, of another's session")
    func forged() async throws {
        try await onStage { stage, visitor in
            let one = try await visitor.signedIn(phone)
            let other = try await visitor.signedIn("+8613800138010")
            let session = try #require(one.refreshToken).split(separator: ".")[0]
            let now = stage.clock.now().microseconds / 1_000_000
            func claims(iss: String = "greentea", sub: String? = nil, sid: String? = nil, iat: Int64? = nil) -> AccessClaims {
                AccessClaims(iss: iss, sub: sub ?? one.account, sid: sid ?? String(session), iat: iat ?? now, exp: now + 900)
            }
            let kid = try TokenSigner(seed: stage.service.keys.tokenSigningSeed).kid
            let ours = await JWTKeyCollection().add(eddsa: try key(stage.service.keys.tokenSigningSeed), kid: kid)
            let theirs = await JWTKeyCollection().add(eddsa: try key(Array(repeating: 9, count: 32)), kid: kid)
            // Algorithm confusion: the public key, which anybody may have, as the secret of a MAC.
            let publicKey = try key(stage.service.keys.tokenSigningSeed).publicKey.rawRepresentation
            let hmac = await JWTKeyCollection().add(hmac: HMACKey(from: publicKey), digestAlgorithm: .sha256, kid: kid)

            #expect(try await signed(claims(), ours, kid, by: visitor).status == 200)
            for (claims, keys) in [
                (claims(iat: now + 61), ours), (claims(), theirs), (claims(), hmac), (claims(iss: "other"), ours),
                (claims(sid: "ses_00000000000000000000000000"), ours), (claims(sub: other.account), ours),
                (claims(sub: "shop_00000000000000000000000000"), ours), (claims(sid: "x"), ours),
            ] {
                try await signed(claims, keys, kid, by: visitor).expectProblem("unauthenticated", 401)
            }
            // Our key under another's name.
            let renamed = await JWTKeyCollection().add(eddsa: try key(stage.service.keys.tokenSigningSeed), kid: "other")
            try await signed(claims(iat: now - 1), renamed, "other", by: visitor).expectProblem("unauthenticated", 401)
        }
    }

    @Test("a token outlives a restart; a signed-out one does not come back with it")
    func restart() async throws {
        let (folder, clock) = (Stage.newFolder(), TestClock())
        let (kept, ended) = try await beforeRestart(in: folder, clock: clock) { _, visitor in
            let (kept, ended) = (try await visitor.signedIn(phone), try await visitor.signedIn(phone))
            _ = try await ended.delete("/v1/sessions/current")
            return (try #require(kept.token), try #require(ended.token))
        }
        try await onStage(try Stage(folder: folder, clock: clock)) { _, visitor in
            var visitor = visitor
            visitor.token = kept
            #expect(try await visitor.get("/v1/me").status == 200)
            try await expectRefused(ended, by: visitor)
        }
    }

    private func signed(
        _ claims: AccessClaims, _ keys: JWTKeyCollection, _ kid: JWKIdentifier, by visitor: Visitor
    ) async throws -> Reply {
        var visitor = visitor
        visitor.token = try await keys.sign(claims, kid: kid)
        return try await visitor.get("/v1/me")
    }

    private func key(_ seed: [UInt8]) throws -> EdDSA.PrivateKey {
        EdDSA.PrivateKey(backing: try Curve25519.Signing.PrivateKey(rawRepresentation: seed))
    }
}
