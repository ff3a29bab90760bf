import Foundation
import Loyalty
import LoyaltyCodec
import Synchronization
import Testing

@testable import CommandService
@testable import Composition

/// Codes by text message whose request fails after the code was checked.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct SpentCodeTests {
    /// Does some work while the key store cannot be read or written.
    private func withoutKeys(_ site: Site, _ work: () async throws -> Void) async throws {
        let (keys, away) = (site.folder.path + "/keys", site.folder.path + "/away")
        site.service.keyStore.state.withLock { $0.file = nil }
        try FileManager.default.moveItem(atPath: keys, toPath: away)
        try Data().write(to: URL(filePath: keys))
        try await work()
        try FileManager.default.removeItem(atPath: keys)
        try FileManager.default.moveItem(atPath: away, toPath: keys)
    }

    @Test("A sign-in or a change of number that fails in the key store does not use up its code")
    func codesAfterFailure() async throws {
        let site = try Site()
        let service = site.service
        let signedIn = try await service.signIn(phone(1))
        let me = Caller(account: signedIn.account.id)
        let third = try #require(TypedPhone(phone(3).text))
        let (second, code) = (try service.verifications.begin(for: phone(2)).code, try service.verifications.begin(for: phone(3)).code)
        let change = PhoneChange(to: phone(2), code: second, currentCode: nil, keeping: signedIn.session, from: .unknown)
        try await withoutKeys(site) {
            await #expect(throws: ServiceError.self) { try await service.changePhone(change, by: me) }
            await #expect(throws: ServiceError.self) { try await service.signIn(third, code: code, from: .unknown) }
        }
        _ = try await service.changePhone(change, by: me)
        #expect(try await service.signIn(third, code: code, from: .unknown)?.account.id != me.account)
        await #expect(throws: ServiceError.rejected(.passwordNotValid)) {
            try await service.signIn(third, code: code, from: .unknown)
        }
    }
}
