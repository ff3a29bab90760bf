import CommandService
import Composition
import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import JWTKit
import Loyalty
import LoyaltyCodec
import Testing

@testable import HTTPAPI

@Suite("Access tokens", .timeLimit(.minutes(15)))
struct TokenTests {
    private let phone = "+8613800138009"

    private func expectRefused(_ token: String?, by visitor: Visitor, _ code: String = "unauthenticated") async throws {
        var visitor = visitor
        visitor.token = token
        let reply = try await visitor.get("/v1/me")
        try reply.expectProblem(code, 401)
        #expect(reply.headers[.wwwAuthenticate]?.hasPrefix("Bearer") == true)
    }

    @Test("Missing, malformed and unsigned tokens are rejected")
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

    @Test("Alternative encodings of a token are rejected: padding, spare bits and the plain base64 alphabet")
    func spellings() async throws {
        try await onStage { _, visitor in
            let signedIn = try await visitor.signedIn(phone)
            let good = try #require(signedIn.token)
            let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
            let end = try #require(good.last)
            let last = try #require(letters.firstIndex(of: end))
            // A 64-byte signature leaves four bits of its last letter unused, so 16 spellings decode to the same bytes.
            #expect(last.isMultiple(of: 16))
            for spare in 1..<16 { try await expectRefused(String(good.dropLast()) + String(letters[last + spare]), by: signedIn) }
            let parts = good.split(separator: ".").map(String.init)
            for token in [
                good + "=", good + "==", "\(parts[0])=.\(parts[1]).\(parts[2])", "\(parts[0]).\(parts[1])=.\(parts[2])",
                good.replacing("-", with: "+").replacing("_", with: "/") + "=",
            ] {
                let reply = try await visitor.get("/v1/me", headers: [.authorization: "Bearer \(token)"])
                try reply.expectProblem("unauthenticated", 401)
            }
            #expect(try await signedIn.get("/v1/me").status == 200)
        }
    }

    @Test("A token is accepted until it expires by the service's clock, and rejected afterwards, cached or not")
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

    @Test("A token with a future date, a wrong key, issuer, algorithm, session or account is rejected")
    func forged() async throws {
        try await onStage { stage, visitor in
            let one = try await visitor.signedIn(phone)
            let other = try await visitor.signedIn("+8613800138010")
            let session = try #require(one.refreshToken).split(separator: ".")[0]
            let now = stage.clock.now().microseconds / 1_000_000
            func claims(iss: String = "greentea", sub: String? = nil, sid: String? = nil, iat: Int64? = nil) -> AccessClaims {
                AccessClaims(iss: iss, sub: sub ?? one.account, sid: sid ?? String(session), iat: iat ?? now, exp: now + 900)
            }
            let signer = try TokenSigner(seed: stage.service.keys.tokenSigningSeed)
            let key = try signer.key(TokenKey.number(at: now))
            let kid = key.kid
            let ours = await JWTKeyCollection().add(eddsa: key.privateKey, kid: kid)
            let foreign = try TokenKey(number: key.number, seed: Array(repeating: 9, count: 32))
            let theirs = await JWTKeyCollection().add(eddsa: foreign.privateKey, kid: kid)
            // Algorithm confusion: an attacker uses the public key, which anyone can have, as the secret of a MAC.
            let publicKey = key.privateKey.publicKey.rawRepresentation
            let hmac = await JWTKeyCollection().add(hmac: HMACKey(from: publicKey), digestAlgorithm: .sha256, kid: kid)

            #expect(try await signed(claims(), ours, kid, by: visitor).status == 200)
            for (claims, keys) in [
                (claims(iat: now + 61), ours), (claims(), theirs), (claims(), hmac), (claims(iss: "other"), ours),
                (claims(sid: "ses_00000000000000000000000000"), ours), (claims(sub: other.account), ours),
                (claims(sub: "shop_00000000000000000000000000"), ours), (claims(sid: "x"), ours),
            ] {
                try await signed(claims, keys, kid, by: visitor).expectProblem("unauthenticated", 401)
            }
            // This token is signed with our key, but names a different key ID.
            let name = JWKIdentifier(string: "\(key.number)-other")
            let renamed = await JWTKeyCollection().add(eddsa: key.privateKey, kid: name)
            try await signed(claims(iat: now - 1), renamed, name, by: visitor).expectProblem("unauthenticated", 401)
            // An attacker who stole last month's key signs a token dated today. The second token is valid for longer than the
            // maximum.
            let old = try signer.key(key.number - 1)
            let stolen = await JWTKeyCollection().add(eddsa: old.privateKey, kid: old.kid)
            try await signed(claims(), stolen, old.kid, by: visitor).expectProblem("unauthenticated", 401)
            let endless = AccessClaims(iss: "greentea", sub: one.account, sid: String(session), iat: now, exp: now + 901)
            try await signed(endless, ours, kid, by: visitor).expectProblem("unauthenticated", 401)
        }
    }

    @Test("Each month has its own signing key, and a token stays valid into the next month")
    func months() async throws {
        try await onStage { stage, visitor in
            func keyName(_ visitor: Visitor) throws -> String {
                let header = try #require(visitor.token).split(separator: ".")[0]
                let padded = header + String(repeating: "=", count: (4 - header.count % 4) % 4)
                let json = try #require(Data(base64Encoded: String(padded)))
                return try #require(JSONValue(Array(json))["kid"]?.string)
            }
            let month: Int64 = 30 * 86_400
            let left = month - stage.clock.now().microseconds / 1_000_000 % month
            stage.clock.advance(seconds: left - 1)
            let before = try await visitor.signedIn(phone)
            stage.clock.advance(seconds: 1)
            let after = try await visitor.signedIn(phone)
            #expect(try keyName(before) != keyName(after))
            #expect(try await before.get("/v1/me").status == 200)
            #expect(try await after.get("/v1/me").status == 200)
        }
    }

    @Test("A token survives a restart, and a signed-out token stays rejected after it")
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
}
