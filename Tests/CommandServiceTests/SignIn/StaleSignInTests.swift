import EventLog
import Loyalty
import Testing

@testable import CommandService
@testable import Composition

/// Sign-ins whose number or password is changed between their check and their decision. The change ends earlier sessions, so they begin
/// none.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct StaleSignInTests {
    private static let refused = ServiceError.rejected(.passwordNotValid)

    /// Signs in, and sets the password "correct horse".
    private func withPassword(_ service: GreenTea) async throws -> SignedIn {
        let signedIn = try await service.signIn(phone(1))
        let first = try password("correct horse", keeping: signedIn, service)
        _ = try await service.setPassword(first, by: Caller(account: signedIn.account.id))
        return signedIn
    }

    private func password(_ new: String, keeping signedIn: SignedIn, _ service: GreenTea) throws -> PasswordChange {
        let code = try service.verifications.begin(for: phone(1)).code
        return PasswordChange(to: new, .code(code, from: .unknown), keeping: signedIn.session)
    }

    /// Takes the last step of a sign-in that found the account earlier.
    @discardableResult
    private func goOn(_ found: Account, by number: Int, _ service: GreenTea) async throws -> SignedIn {
        try await service.startSession(with: SignInProof(account: found, phone: phone(number), password: found.password?.position))
    }

    @Test("A sign-in begins no session if its password is replaced or removed after it was checked")
    func passwordChanged() async throws {
        let site = try Site()
        let service = site.service
        let signedIn = try await withPassword(service)
        let me = Caller(account: signedIn.account.id)
        let first = try #require(try service.account(ofPhone: phone(1)))
        _ = try await service.setPassword(password("another horse", keeping: signedIn, service), by: me)
        await #expect(throws: Self.refused) { try await goOn(first, by: 1, service) }
        let second = try #require(try service.account(ofPhone: phone(1)))
        _ = try await service.submit(.removePassword(RemovePassword()), by: me)
        await #expect(throws: Self.refused) { try await goOn(second, by: 1, service) }
        #expect(try service.openSessions(of: me.account).map(\.id) == [signedIn.session])
    }

    @Test("Of many sign-ins with the old password during a change, none is open afterwards")
    func manySignIns() async throws {
        let site = try Site()
        let signedIn = try await withPassword(site.service)
        let me = Caller(account: signedIn.account.id)
        let change = try password("another horse", keeping: signedIn, site.service)
        _ = try await concurrently(8) { [service = site.service] number -> Bool in
            guard number == 0 else { return (try? await service.signIn(phone(1), password: "correct horse")) != nil }
            _ = try await service.setPassword(change, by: me)
            return true
        }
        #expect(try site.service.openSessions(of: me.account).map(\.id) == [signedIn.session])
    }

    @Test("A sign-in begins no session if the holder changes the number after the account was found by it", arguments: [false, true])
    func numberChanged(byPassword: Bool) async throws {
        let site = try Site()
        let service = site.service
        let signedIn = try await byPassword ? withPassword(service) : service.signIn(phone(1))
        let found = try await service.register(phone(1))
        #expect((found.password != nil) == byPassword)
        let code = try service.verifications.begin(for: phone(2)).code
        let change = PhoneChange(to: phone(2), code: code, currentCode: nil, keeping: signedIn.session, from: .unknown)
        _ = try await service.changePhone(change, by: Caller(account: found.id))
        await #expect(throws: Self.refused) { try await goOn(found, by: 1, service) }
        #expect(try service.openSessions(of: found.id).map(\.id) == [signedIn.session])
        #expect(try await service.signIn(phone(2)).account.id == found.id)
    }

    @Test("A sign-in begins no session if a requested number comes into force after the account was found by the lost one")
    func requestedNumberDue() async throws {
        let site = try Site()
        let service = site.service
        let early = try await service.register(phone(1))
        let officer = Caller(account: try await service.register(phone(9)).id)
        _ = try await service.requestPhoneChange(of: early.id, to: phone(2), reason: "Stolen", by: officer)
        let late = try await service.register(phone(1))
        site.clock.move(bySeconds: 72 * 3_600)
        let head = service.log.head
        for found in [early, late] { await #expect(throws: Self.refused) { try await goOn(found, by: 1, service) } }
        #expect(service.log.head == head)
        // A sign-in with the new number is not refused, although it finds the account before the change is recorded.
        let found = try await service.register(phone(2))
        let opened = try await goOn(found, by: 2, service)
        #expect(opened.phoneChange != nil && opened.account.comingPhone == nil)
        #expect(try service.openSessions(of: early.id).map(\.id) == [opened.session])
    }
}
