import EventLog
import Loyalty
import LoyaltyCodec
import Testing

@testable import CommandService
@testable import Composition

/// Erasure commits an event, the certificate, and then destroys the account's key. After a crash between these two steps, the next start
/// destroys the key.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct ErasureTests {
    @Test("An erased account's sealed data does not open, before or after a restart")
    func erasedAccount() async throws {
        let site = try Site()
        let shop = try await TeaShop.open(on: site.service)
        let guest = try await customer(1, on: site.service)
        let posted = try await site.service.postReview(of: shop.shop, rating: 5, text: "最好的茶", by: guest)
        guard case .reviewPosted(let review) = posted.facts.first?.event, let text = review.text else { throw TestFailure("no text") }
        let erased = try await site.service.eraseAccount(by: guest)
        #expect(erased.facts.last?.event == .accountErased(AccountErased(account: guest.account)))
        #expect(try site.service.open(text, as: .reviewText, of: guest.account) == nil)
        #expect(try site.service.past.account(guest.account) == nil)
        try site.reopen()
        #expect(try site.service.open(text, as: .reviewText, of: guest.account) == nil)
        await #expect(throws: ServiceError.rejected(.notFound)) { try await site.service.eraseAccount(by: guest) }
    }

    @Test("A start completes an erasure that crashed right after its certificate was stored")
    func interruptedErasure() async throws {
        let site = try Site()
        let account = try await site.service.register(phone(1))
        _ = try await site.service.submit(.eraseAccount(EraseAccount()), by: Caller(account: account.id))
        #expect(try site.service.open(account.sealedPhone, as: .phone, of: account.id) == phone(1).text)
        try site.reopen()
        #expect(try site.service.open(account.sealedPhone, as: .phone, of: account.id) == nil)
    }

    @Test("An erased account's phone gets one new account with a new hash")
    func newAccount() async throws {
        let site = try Site()
        let first = try await site.service.register(phone(1))
        _ = try await site.service.eraseAccount(by: Caller(account: first.id))
        let accounts = try await concurrently(16) { [service = site.service] _ in try await service.register(phone(1)) }
        let second = try #require(accounts.first)
        #expect(Set(accounts).count == 1 && second.id != first.id && second.phone != first.phone)
        try site.reopen()
        #expect(try await site.service.register(phone(1)) == second)
    }

    /// The writer's memory, the index and a restarted service agree on which accounts exist.
    @Test("Each registration after an erasure of the same phone makes a new account, also across restarts")
    func alternating() async throws {
        let site = try Site(cachedEntitiesMax: 2)
        var seen: Set<AccountID> = []
        for round in 0..<12 {
            let account = try await site.service.register(phone(1))
            #expect(seen.insert(account.id).inserted)
            _ = try await site.service.signIn(phone(1))
            if round % 5 == 4 { try site.reopen() }
            _ = try await site.service.eraseAccount(by: Caller(account: account.id))
        }
    }

    @Test("A key that is made for a shop while its owner is erased does not outlive the erasure")
    func keyMadeDuringAnErasure() async throws {
        let site = try Site()
        let service = site.service
        let tea = try await TeaShop.open(on: service)
        let key = try await service.makeKey(of: tea.shop) { _ = try? await service.eraseAccount(by: tea.owner) }
        #expect(try key == nil && service.keyStore.key(of: tea.shop.keyHolder) == nil)
        #expect(try await service.makeKey(of: tea.shop) == nil)
    }

    @Test("No event of an account follows its erasure, even if other requests race with it")
    func nothingFollows() async throws {
        let site = try Site()
        let shop = try await TeaShop.open(on: site.service)
        let guest = try await customer(1, on: site.service)
        let done = try await concurrently(32) { [service = site.service] number in
            if number == 7 { return (try? await service.eraseAccount(by: guest))?.position }
            return (try? await service.postReview(of: shop.shop, rating: 3, text: "review \(number)", by: guest))?.position
        }
        let end = try #require(done[7])
        #expect(done.compactMap { $0 }.allSatisfy { $0 <= end }, "the log has no event by an account after its erasure")
    }
}
