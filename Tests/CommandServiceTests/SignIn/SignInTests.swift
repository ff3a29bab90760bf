import CommandService
import Composition
import EventLog
import Loyalty
import LoyaltyCodec
import Testing

/// Accounts and sessions: one account per phone, and refresh tokens that work once.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct SignInTests {
    @Test("A phone that is registered twice has one account and one event")
    func registeredTwice() async throws {
        let site = try Site()
        let first = try await site.service.register(phone(1))
        let head = site.service.log.head
        let again = try await site.service.register(phone(1))
        #expect(again == first)
        #expect(site.service.log.head == head)
        try site.reopen()
        #expect(try await site.service.register(phone(1)) == first)
        #expect(try site.service.open(first.sealedPhone, as: .phone, of: first.id) == phone(1).text)
    }

    @Test("Concurrent first registrations of a phone make one account")
    func concurrentFirst() async throws {
        let site = try Site()
        let accounts = try await concurrently(32) { [service = site.service] _ in try await service.register(phone(1)) }
        #expect(Set(accounts).count == 1)
        #expect(site.service.log.head == Position(1))
        let account = try #require(accounts.first)
        #expect(try site.service.open(account.sealedPhone, as: .phone, of: account.id) == phone(1).text)
    }

    @Test("A refresh token is accepted once, and its reuse ends the session")
    func reusedToken() async throws {
        let site = try Site()
        let first = try await site.service.signIn(phone(1))
        let second = try await site.service.refresh(first.refreshToken)
        let third = try await site.service.refresh(second.refreshToken)
        #expect(third.session == first.session && third.account == first.account)
        #expect(Set([first, second, third].map(\.refreshToken)).count == 3)
        await #expect(throws: ServiceError.rejected(.sessionNotValid)) { try await site.service.refresh(first.refreshToken) }
        // Either the thief or the owner used an old token, so the session ends for both.
        await #expect(throws: ServiceError.rejected(.sessionNotValid)) { try await site.service.refresh(third.refreshToken) }
        #expect(try site.service.past.session(first.session)?.isEnded == true)
    }

    @Test("Reusing a token from two hundred refreshes ago still ends its session")
    func oldReuse() async throws {
        let site = try Site()
        let first = try await site.service.signIn(phone(1))
        var last = first.refreshToken
        for _ in 0..<200 { last = try await site.service.refresh(last).refreshToken }
        await #expect(throws: ServiceError.rejected(.sessionNotValid)) { try await site.service.refresh(first.refreshToken) }
        #expect(try site.service.past.session(first.session)?.isEnded == true)
    }

    @Test("A made-up token, or one taken from another session, ends nothing")
    func forged() async throws {
        let site = try Site()
        let (mine, theirs) = (try await site.service.signIn(phone(1)), try await site.service.signIn(phone(2)))
        let spent = try #require(theirs.refreshToken.split(separator: ".").last)
        _ = try await site.service.refresh(theirs.refreshToken)
        for token in [mine.session.text + "." + TypeID.text("rt", 7), mine.session.text + "." + spent] {
            await #expect(throws: ServiceError.rejected(.sessionNotValid)) { try await site.service.refresh(token) }
        }
        _ = try await site.service.refresh(mine.refreshToken)
    }

    @Test("Concurrent refreshes with one token have one winner")
    func concurrentRefresh() async throws {
        let site = try Site()
        let signedIn = try await site.service.signIn(phone(1))
        let tokens = try await concurrently(16) { [service = site.service] _ in
            try? await service.refresh(signedIn.refreshToken).refreshToken
        }
        #expect(tokens.compactMap { $0 }.count == 1)
    }

    @Test("A refresh token survives a restart and expires")
    func expiringToken() async throws {
        let site = try Site()
        let signedIn = try await site.service.signIn(phone(1))
        try site.reopen()
        let next = try await site.service.refresh(signedIn.refreshToken)
        site.clock.move(bySeconds: Loyalty.Limits.sessionValiditySeconds)
        await #expect(throws: ServiceError.rejected(.sessionNotValid)) { try await site.service.refresh(next.refreshToken) }
    }

    @Test("A session is ended only by its owner, and another account's session goes on")
    func ownerOnly() async throws {
        let site = try Site()
        let (mine, theirs) = (try await site.service.signIn(phone(1)), try await site.service.signIn(phone(2)))
        let other = Caller(account: theirs.account.id)
        await #expect(throws: ServiceError.rejected(.notFound)) {
            try await site.service.submit(.endSession(EndSession(session: mine.session)), by: other)
        }
        _ = try await site.service.submit(.endSession(EndSession(session: mine.session)), by: Caller(account: mine.account.id))
        await #expect(throws: ServiceError.rejected(.sessionNotValid)) { try await site.service.refresh(mine.refreshToken) }
        _ = try await site.service.refresh(theirs.refreshToken)
    }

    @Test("A malformed refresh token is refused and ends no session")
    func malformedToken() async throws {
        let site = try Site()
        let signedIn = try await site.service.signIn(phone(1))
        let head = site.service.log.head
        for text in ["", ".", "x.y", "acct_01hv.rt_01hv", signedIn.session.text, signedIn.refreshToken + ".x"] {
            await #expect(throws: ServiceError.rejected(.sessionNotValid)) { try await site.service.refresh(text) }
        }
        #expect(site.service.log.head == head)
        _ = try await site.service.refresh(signedIn.refreshToken)
    }

    @Test("An account has at most twenty open sessions, and a new one ends the oldest")
    func cap() async throws {
        let site = try Site()
        var tokens: [String] = []
        for _ in 0..<20 {
            tokens.append(try await site.service.signIn(phone(1)).refreshToken)
            site.clock.move(bySeconds: 1)
        }
        try site.reopen()
        let last = try await site.service.signIn(phone(1))
        #expect(try site.service.openSessions(of: last.account.id).count == 20)
        await #expect(throws: ServiceError.rejected(.sessionNotValid)) { try await site.service.refresh(tokens[0]) }
        _ = try await site.service.refresh(tokens[1])
        for _ in 0..<40 { _ = try await site.service.signIn(phone(1)) }
        #expect(try site.service.openSessions(of: last.account.id).count == 20)
    }
}
