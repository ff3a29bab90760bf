import CommandService
import Loyalty
import LoyaltyCodec
import Testing

@testable import CommandService

/// Passwords: slow to try, the same time for everybody, and in the log only what helps nobody.
@Suite(.fewAtOnce, .timeLimit(.minutes(40))) struct PasswordTests {
    private let cost = PasswordCost(log2N: 4)

    @Test func aHashTellsThePasswordFromOthersAndSurvivesItsText() throws {
        let hash = try PasswordHash("correct horse", salt: Array(1...16), cost: cost)
        let read = try #require(PasswordHash(text: hash.text))
        #expect(read == hash)
        #expect(try read.matches("correct horse"))
        for wrong in ["correct hors", "Correct horse", "correct horse ", ""] { #expect(try !read.matches(wrong)) }
        #expect(try PasswordHash("correct horse", salt: Array(2...17), cost: cost).hash != hash.hash)
    }

    @Test func theCostOfTodayIsOWASPs() throws {
        #expect(PasswordCost.current == PasswordCost(log2N: 17, r: 8, p: 1))
        let hash = try PasswordHash("correct horse", salt: Array(1...16), cost: .current)
        // Once, to see that the library takes the memory: in a debug build it takes many seconds.
        #expect(hash.text.hasPrefix("$scrypt-hmac$ln=17,r=8,p=1$"))
    }

    @Test(arguments: [
        "", "$scrypt-hmac$ln=4,r=8,p=1$AQ==", "$scrypt$ln=4,r=8,p=1$AQ==$AQ==", "$scrypt-hmac$ln=40,r=8,p=1$AQ==$AQ==",
        "$scrypt-hmac$ln=4,r=0,p=1$AQ==$AQ==", "$scrypt-hmac$ln=4,r=8$AQ==$AQ==", "$scrypt-hmac$ln=4,r=8,p=1$AQ==$AQ==",
    ])
    func whatIsNoHashIsNotRead(_ text: String) {
        #expect(PasswordHash(text: text) == nil)
    }

    @Test func neverMoreAtOnceThanItHasMemoryFor() async throws {
        let hasher = PasswordHasher(cost: cost, runningMax: 2, waitingMax: 4)
        let results = try await concurrently(64) { _ in
            do throws(ServiceError) { return try await hasher.matches("x", nil) ? 1 : 0 } catch { return error == .overloaded ? -1 : 2 }
        }
        #expect(results.allSatisfy { $0 == 0 || $0 == -1 })
        #expect(results.contains(0))
        // Every place was given back.
        for _ in 0..<8 { #expect(try await !hasher.matches("x", nil)) }
    }

    @Test func aPasswordSignsInAfterARestart() async throws {
        let site = try Site()
        let signedIn = try await site.service.signIn(phone(1))
        let me = Caller(account: signedIn.account.id)
        _ = try await site.service.setPassword(.init(to: "correct horse", from: nil, keeping: signedIn.session), by: me)
        try site.reopen()
        #expect(try await site.service.signIn(phone(1), password: "correct horse")?.account.id == me.account)
        #expect(try await site.service.signIn(phone(1), password: "wrong horse") == nil)
        #expect(try await site.service.signIn(phone(2), password: "correct horse") == nil)
    }

    @Test func ofManyChangesAtOnceOneWins() async throws {
        let site = try Site()
        let signedIn = try await site.service.signIn(phone(1))
        let me = Caller(account: signedIn.account.id)
        _ = try await site.service.setPassword(.init(to: "correct horse", from: nil, keeping: signedIn.session), by: me)
        let winners = try await concurrently(8) { [service = site.service] number -> String? in
            let change = PasswordChange(to: "password \(number)", from: "correct horse", keeping: signedIn.session)
            let isDone = (try? await service.setPassword(change, by: me)) != nil
            return isDone ? change.new : nil
        }.compactMap { $0 }
        #expect(winners.count == 1)
        let winner = try #require(winners.first)
        #expect(try await site.service.signIn(phone(1), password: winner) != nil)
    }
}
