import Loyalty
import LoyaltyCodec
import Testing

@testable import CommandService
@testable import Composition

/// A phone number that an operator requested for an account, at the time at which it comes into force.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct DuePhoneTests {
    /// Requests number 2 for the account of number 1, and lets time pass until some seconds before number 2 is in force.
    private func requested(on site: Site, secondsBefore: Int64) async throws -> AccountID {
        let account = try await site.service.register(phone(1)).id
        let officer = Caller(account: try await site.service.register(phone(9)).id)
        _ = try await site.service.requestPhoneChange(of: account, to: phone(2), reason: "Stolen", by: officer)
        site.clock.move(bySeconds: 72 * 3_600 - secondsBefore)
        return account
    }

    /// A change to number 3 in a session that was begun just now with a code to number 1.
    private func change(on site: Site) async throws -> PhoneChange {
        let lost = try await site.service.signIn(phone(1))
        let code = try site.service.verifications.begin(for: phone(3)).code
        return PhoneChange(to: phone(3), code: code, currentCode: nil, keeping: lost.session, from: .unknown)
    }

    /// Expects that number 2 is the account's number, and number 3 is not.
    private func expectSecond(of account: AccountID, on site: Site) async throws {
        #expect(try await site.service.register(phone(2)).id == account)
        #expect(try await site.service.register(phone(3)).id != account)
    }

    @Test("A fresh session of the replaced number cannot change the number, be the replacement recorded or not", arguments: [false, true])
    func fresh(isRecorded: Bool) async throws {
        let site = try Site()
        let account = try await requested(on: site, secondsBefore: 60)
        let change = try await change(on: site)
        site.clock.move(bySeconds: 60)
        if isRecorded { _ = try await site.service.signIn(phone(2)) }
        #expect(site.service.isFresh(change.session))
        await #expect(throws: ServiceError.rejected(.sessionNotValid)) {
            try await site.service.changePhone(change, by: Caller(account: account))
        }
        try await expectSecond(of: account, on: site)
    }

    @Test("A fresh session cannot change the number if another number comes into force during the request")
    func during() async throws {
        let site = try Site()
        let account = try await requested(on: site, secondsBefore: 1)
        let change = try await change(on: site)
        site.clock.advanceAtReadings(bySeconds: 1)
        await #expect(throws: ServiceError.rejected(.passwordNotValid)) {
            try await site.service.changePhone(change, by: Caller(account: account))
        }
        site.clock.advanceAtReadings(bySeconds: 0)
        try await expectSecond(of: account, on: site)
    }

    @Test("If claims are settled at the moment at which the requested number comes into force, that number keeps its claim")
    func settled() async throws {
        let site = try Site()
        let account = try await requested(on: site, secondsBefore: 1)
        site.clock.advanceAtReadings(bySeconds: 1)
        try await site.service.settlePhones(of: account)
        site.clock.advanceAtReadings(bySeconds: 0)
        #expect(try site.service.keyStore.account(ofPhone: phone(2).text) == account)
        site.clock.move(bySeconds: 1)
        try await expectSecond(of: account, on: site)
    }

    @Test("A requested number is known to be due from its time on, also after restarts, until that is recorded", arguments: [0, 1, 2])
    func known(restarts: Int) async throws {
        let site = try Site()
        let account = try await requested(on: site, secondsBefore: 60)
        let lost = try await site.service.signIn(phone(1)).session
        for _ in 0..<restarts { try site.reopen() }
        #expect(!site.service.mayHaveDuePhone(account, at: site.clock.now()))
        site.clock.move(bySeconds: 60)
        for _ in 0..<restarts { try site.reopen() }
        #expect(site.service.mayHaveDuePhone(account, at: site.clock.now()))
        #expect(try site.service.reading({ try $0.session(lost) })?.isEnded == false)
        #expect(try await site.service.completeDuePhone(of: account, rememberedFor: 600) != nil)
        #expect(try site.service.reading({ try $0.session(lost) })?.isEnded == true)
        #expect(site.service.mayHaveDuePhone(account, at: site.clock.now()), "tokens from before may still be in use")
        #expect(try await site.service.completeDuePhone(of: account, rememberedFor: 600) == nil)
        site.clock.move(bySeconds: 600)
        #expect(try await site.service.completeDuePhone(of: account, rememberedFor: 600) == nil)
        #expect(!site.service.mayHaveDuePhone(account, at: site.clock.now()))
        try await expectSecond(of: account, on: site)
    }

    @Test("A clock that is set ahead brings no requested number into force before 72 hours have passed", arguments: [false, true])
    func setAhead(objects: Bool) async throws {
        let site = try Site()
        let account = try await requested(on: site, secondsBefore: 60)
        let first = try await site.service.signIn(phone(1)).session
        site.clock.set(bySeconds: 4 * 86_400)
        #expect(!site.service.mayHaveDuePhone(account, at: site.service.clock.now()))
        #expect(try await site.service.completeDuePhone(of: account, rememberedFor: 600) == nil)
        await #expect(throws: ServiceError.rejected(.passwordNotValid)) { try await site.service.signIn(phone(2)) }
        #expect(try await site.service.signIn(phone(1)).account.id == account)
        if objects { _ = try await site.service.objectToPhoneChange(by: Caller(account: account)) }
        site.clock.set(bySeconds: -4 * 86_400)
        #expect(try await site.service.signIn(phone(1)).account.id == account)
        #expect(try site.service.reading({ try $0.session(first) })?.isEnded == false)
        site.clock.move(bySeconds: 60)
        let (old, new) = (try await site.service.register(phone(1)).id, try await site.service.register(phone(2)).id)
        #expect((old == account) == objects && (new == account) != objects)
    }

    @Test("A newer request that is made while the clock is ahead replaces the older one, and its number waits for 72 hours from that time")
    func requestedAhead() async throws {
        let site = try Site()
        let account = try await requested(on: site, secondsBefore: 60)
        let officer = Caller(account: try await site.service.register(phone(9)).id)
        site.clock.set(bySeconds: 4 * 86_400)
        _ = try await site.service.requestPhoneChange(of: account, to: phone(3), reason: "Stolen", by: officer)
        site.clock.set(bySeconds: -4 * 86_400)
        site.clock.move(bySeconds: 4 * 86_400 + 72 * 3_600 - 1)
        #expect(try await site.service.register(phone(1)).id == account)
        site.clock.move(bySeconds: 1)
        #expect(try await site.service.register(phone(3)).id == account)
        #expect(try await site.service.register(phone(2)).id != account)
    }

    @Test("After a start with a slow clock, a second request waits for 72 hours from the right time, also over the next start")
    func requestedAfterASlowStart() async throws {
        let site = try Site()
        let account = try await requested(on: site, secondsBefore: 60)
        try site.close()
        site.clock.set(bySeconds: -5 * 86_400)
        try site.open()
        site.clock.set(bySeconds: 5 * 86_400)
        let officer = Caller(account: try await site.service.register(phone(9)).id)
        site.clock.move(bySeconds: 86_400)
        _ = try await site.service.requestPhoneChange(of: account, to: phone(3), reason: "Stolen", by: officer)
        try site.reopen()
        #expect(!site.service.mayHaveDuePhone(account, at: site.service.clock.now()))
        _ = try await site.service.objectToPhoneChange(by: Caller(account: account))
        site.clock.move(bySeconds: 73 * 3_600)
        #expect(try await site.service.register(phone(3)).id != account)
    }

    @Test("A start with a clock that is ahead takes no number from an account, and after a right start the holder can object")
    func startedAhead() async throws {
        let site = try Site()
        let account = try await requested(on: site, secondsBefore: 60)
        for seconds in [4 * 86_400, -4 * 86_400] as [Int64] {
            try site.close()
            site.clock.set(bySeconds: seconds)
            try site.open()
            #expect(site.service.mayHaveDuePhone(account, at: site.service.clock.now()) == (seconds > 0))
            for number in 1...2 { #expect(try site.service.keyStore.account(ofPhone: phone(number).text) == account) }
        }
        #expect(try await site.service.signIn(phone(1)).account.id == account)
        _ = try await site.service.objectToPhoneChange(by: Caller(account: account))
        site.clock.move(bySeconds: 60)
        #expect(try await site.service.register(phone(1)).id == account)
        #expect(try await site.service.register(phone(2)).id != account)
    }

    @Test("Until a due change is recorded, the account keeps both claims; registering the lost number records it", arguments: [0, 1, 2])
    func registeredAnew(restarts: Int) async throws {
        let site = try Site()
        let account = try await requested(on: site, secondsBefore: 60)
        let lost = try await site.service.signIn(phone(1)).session
        site.clock.move(bySeconds: 60)
        for _ in 0..<restarts { try site.reopen() }
        try await site.service.settlePhones(of: account)
        for number in 1...2 { #expect(try site.service.keyStore.account(ofPhone: phone(number).text) == account) }
        let other = try await site.service.register(phone(1)).id
        #expect(other != account)
        #expect(try site.service.keyStore.account(ofPhone: phone(1).text) == other)
        #expect(try site.service.reading({ try $0.session(lost) })?.isEnded == true)
        try await expectSecond(of: account, on: site)
    }

    @Test("A crash between the record of a due change and the release of the lost number frees that number", arguments: [false, true])
    func recordedOnly(restarts: Bool) async throws {
        let site = try Site()
        let account = try await requested(on: site, secondsBefore: 0)
        _ = try await site.service.submit(.completePhoneChange(CompletePhoneChange()), by: Caller(account: account))
        #expect(try site.service.keyStore.account(ofPhone: phone(1).text) == account)
        if restarts { try site.reopen() }
        #expect(try await site.service.register(phone(1)).id != account)
        try await expectSecond(of: account, on: site)
    }

    @Test("An account changes to the lost number of another account, whose due change is recorded first")
    func takenOver() async throws {
        let site = try Site()
        let account = try await requested(on: site, secondsBefore: 0)
        let other = try await site.service.signIn(phone(4))
        let code = try site.service.verifications.begin(for: phone(1)).code
        let change = PhoneChange(to: phone(1), code: code, currentCode: nil, keeping: other.session, from: .unknown)
        _ = try await site.service.changePhone(change, by: Caller(account: other.account.id))
        #expect(try await site.service.register(phone(1)).id == other.account.id)
        try await expectSecond(of: account, on: site)
    }

    @Test("A newer request for the account puts off the time at which a number is due")
    func putOff() async throws {
        let site = try Site()
        let account = try await requested(on: site, secondsBefore: 60)
        let officer = Caller(account: try await site.service.register(phone(9)).id)
        _ = try await site.service.requestPhoneChange(of: account, to: phone(3), reason: "Stolen", by: officer)
        site.clock.move(bySeconds: 60)
        #expect(!site.service.mayHaveDuePhone(account, at: site.clock.now()))
        site.clock.move(bySeconds: 72 * 3_600)
        #expect(site.service.mayHaveDuePhone(account, at: site.clock.now()))
    }
}
