import CommandService
import Composition
import EventLog
import Loyalty
import LoyaltyCodec
import Testing

@testable import CommandService

/// Passwords are slow to guess, a check takes the same time for every account, and the log contains nothing that helps guessing.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct PasswordTests {
    private let cost = PasswordCost(log2N: 4)

    @Test("A password's hash matches only its password, survives encoding and depends on the salt")
    func matchesOnly() throws {
        let hash = try PasswordHash("correct horse", salt: Array(1...16), cost: cost)
        let read = try #require(PasswordHash(text: hash.text))
        #expect(read == hash)
        #expect(try read.matches("correct horse"))
        for wrong in ["correct hors", "Correct horse", "correct horse ", ""] { #expect(try !read.matches(wrong)) }
        #expect(try PasswordHash("correct horse", salt: Array(2...17), cost: cost).hash != hash.hash)
    }

    @Test("A new hash has the scrypt cost that OWASP recommends")
    func currentCost() throws {
        #expect(PasswordCost.current == PasswordCost(log2N: 14, r: 8, p: 5))
        let hash = try PasswordHash("correct horse", salt: Array(1...16), cost: .current)
        #expect(hash.text.hasPrefix("$scrypt-hmac$ln=14,r=8,p=5$"))
    }

    @Test(
        "A malformed password hash is rejected",
        arguments: [
            "", "$scrypt-hmac$ln=4,r=8,p=1$AQ==", "$scrypt$ln=4,r=8,p=1$AQ==$AQ==", "$scrypt-hmac$ln=40,r=8,p=1$AQ==$AQ==",
            "$scrypt-hmac$ln=4,r=0,p=1$AQ==$AQ==", "$scrypt-hmac$ln=4,r=8$AQ==$AQ==", "$scrypt-hmac$ln=4,r=8,p=1$AQ==$AQ==",
        ])
    func malformedHash(_ text: String) {
        #expect(PasswordHash(text: text) == nil)
    }

    /// Requests a code and returns it as proof that the caller holds the phone.
    private func code(_ site: Site) throws -> PasswordProof {
        .code(try site.service.verifications.begin(for: phone(1)).code, from: .unknown)
    }

    @Test("A password signs its account in after a restart")
    func afterRestart() async throws {
        let site = try Site()
        let signedIn = try await site.service.signIn(phone(1))
        let me = Caller(account: signedIn.account.id)
        _ = try await site.service.setPassword(.init(to: "correct horse", try code(site), keeping: signedIn.session), by: me)
        try site.reopen()
        #expect(try await site.service.signIn(phone(1), password: "correct horse")?.account.id == me.account)
        #expect(try await site.service.signIn(phone(1), password: "wrong horse") == nil)
        #expect(try await site.service.signIn(phone(2), password: "correct horse") == nil)
    }

    @Test("One of many concurrent changes of a password wins, and its password signs in")
    func oneChangeWins() async throws {
        let site = try Site()
        let signedIn = try await site.service.signIn(phone(1))
        let me = Caller(account: signedIn.account.id)
        _ = try await site.service.setPassword(.init(to: "correct horse", try code(site), keeping: signedIn.session), by: me)
        let winners = try await concurrently(8) { [service = site.service] number -> String? in
            let change = PasswordChange(to: "password \(number)", .current("correct horse"), keeping: signedIn.session)
            let isDone = (try? await service.setPassword(change, by: me)) != nil
            return isDone ? change.new : nil
        }.compactMap { $0 }
        #expect(winners.count == 1)
        let winner = try #require(winners.first)
        #expect(try await site.service.signIn(phone(1), password: winner) != nil)
    }

    @Test("A first password needs a code, a code replaces a forgotten password, and a removed password no longer works")
    func codes() async throws {
        let site = try Site()
        let signedIn = try await site.service.signIn(phone(1))
        let me = Caller(account: signedIn.account.id)
        func set(_ new: String, _ proof: PasswordProof) async throws {
            _ = try await site.service.setPassword(.init(to: new, proof, keeping: signedIn.session), by: me)
        }
        let refused = ServiceError.rejected(.passwordNotValid)
        await #expect(throws: refused) { try await set("correct horse", .current("")) }
        await #expect(throws: refused) { try await set("correct horse", .code("00000x", from: .unknown)) }
        try await set("correct horse", try code(site))
        try await set("another horse", try code(site))
        await #expect(throws: refused) { try await set("third horse", .current("correct horse")) }
        try await set("third horse", .current("another horse"))
        _ = try await site.service.submit(.removePassword(RemovePassword()), by: me)
        let head = site.service.log.head
        _ = try await site.service.submit(.removePassword(RemovePassword()), by: me)
        #expect(site.service.log.head == head, "removing a password that is gone adds no event")
        try site.reopen()
        #expect(try await site.service.signIn(phone(1), password: "third horse") == nil)
        await #expect(throws: refused) { try await set("correct horse", .current("third horse")) }
    }
}
