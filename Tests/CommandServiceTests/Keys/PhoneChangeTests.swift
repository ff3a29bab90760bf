import EventLog
import Foundation
import Loyalty
import LoyaltyCodec
import Seeds
import Synchronization
import Testing

@testable import CommandService
@testable import Composition

/// A change of an account's phone number in three steps (claim, event, release), with a crash after each step.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct PhoneChangeTests {
    private static let hold: Int64 = 72 * 3_600

    private func code(for phone: E164Number, _ service: GreenTea) throws -> String {
        try service.verifications.begin(for: phone).code
    }

    @discardableResult
    private func change(_ signedIn: SignedIn, to number: E164Number, _ service: GreenTea) async throws -> Acceptance {
        let change = PhoneChange(
            to: number, code: try code(for: number, service), currentCode: nil, keeping: signedIn.session, from: .unknown)
        return try await service.changePhone(change, by: Caller(account: signedIn.account.id))
    }

    /// Claims the number without the later steps, as a crash right after the claim does.
    private func claimOnly(_ number: E164Number, for account: AccountID, _ service: GreenTea) throws {
        #expect(try service.keyStore.claimNext(number.text, for: account) == account)
    }

    /// Claims the number for a person who has not registered.
    private func claimForNobody(_ number: E164Number, _ service: GreenTea) throws {
        try service.keyStore.claim([KeyStore.PhoneClaim(number: number.text, account: AccountID(7))])
    }

    private func command(to number: E164Number, of account: Account, _ service: GreenTea) throws -> Command {
        let sealed = try service.seal(number.text, as: .phone, of: account.id)
        return .changePhone(ChangePhone(sealedPhone: sealed, replacing: account.sealedPhone, keeping: nil))
    }

    @Test("The new number signs in to the account, and the old one registers anew, also after a restart")
    func changes() async throws {
        let site = try Site()
        let signedIn = try await site.service.signIn(phone(1))
        try await change(signedIn, to: phone(2), site.service)
        for _ in 0..<2 {
            let account = try await site.service.register(phone(2))
            #expect(account.id == signedIn.account.id)
            #expect(try site.service.phone(of: account) == phone(2))
            #expect(try await site.service.register(phone(1)).id != signedIn.account.id)
            #expect(try site.service.keyStore.unsettledAccounts().isEmpty)
            try site.reopen()
        }
    }

    @Test("A number of another account is refused like a wrong code, and a wrong code spends nothing")
    func taken() async throws {
        let site = try Site()
        let service = site.service
        let signedIn = try await service.signIn(phone(1))
        let other = try await service.register(phone(2))
        await #expect(throws: ServiceError.rejected(.passwordNotValid)) { try await change(signedIn, to: phone(2), service) }
        #expect(try await service.register(phone(2)).id == other.id)
        let right = try code(for: phone(3), service)
        let wrong = PhoneChange(
            to: phone(3), code: right == "000000" ? "1" : "000000", currentCode: nil, keeping: signedIn.session, from: .unknown)
        await #expect(throws: ServiceError.rejected(.passwordNotValid)) {
            try await service.changePhone(wrong, by: Caller(account: signedIn.account.id))
        }
        try await change(signedIn, to: phone(3), service)
    }

    @Test("A session proves the present number for ten minutes; later a code sent to that number is needed")
    func proof() async throws {
        let site = try Site()
        let service = site.service
        let signedIn = try await service.signIn(phone(1))
        #expect(service.isFresh(signedIn.session))
        site.clock.move(bySeconds: 600)
        #expect(!service.isFresh(signedIn.session))
        await #expect(throws: ServiceError.rejected(.passwordNotValid)) { try await change(signedIn, to: phone(2), service) }
        let both = PhoneChange(
            to: phone(2), code: try code(for: phone(2), service), currentCode: try code(for: phone(1), service),
            keeping: signedIn.session, from: .unknown)
        _ = try await service.changePhone(both, by: Caller(account: signedIn.account.id))
        #expect(try await service.register(phone(2)).id == signedIn.account.id)
    }

    @Test("A crash after the claim leaves the account its old number; the new number goes to the person who verifies it")
    func crashAfterClaim() async throws {
        let site = try Site()
        let account = try await site.service.register(phone(1))
        try claimOnly(phone(2), for: account.id, site.service)
        // A claim of a number, without the event of its change, has no effect in the running process either: the new number leads to no
        // account.
        #expect(try site.service.account(ofPhone: phone(2)) == nil)
        try site.reopen()
        #expect(try site.service.keyStore.account(ofPhone: phone(2).text) == nil)
        #expect(try await site.service.register(phone(2)).id != account.id)
        #expect(try await site.service.register(phone(1)).id == account.id)
    }

    @Test("A crash after the event leaves the account with its new number, and frees the old one", arguments: [false, true])
    func crashAfterEvent(restarts: Bool) async throws {
        let site = try Site()
        let account = try await site.service.register(phone(1))
        try claimOnly(phone(2), for: account.id, site.service)
        _ = try await site.service.submit(try command(to: phone(2), of: account, site.service), by: Caller(account: account.id))
        if restarts {
            try site.reopen()
            #expect(try site.service.keyStore.account(ofPhone: phone(1).text) == nil)
        }
        #expect(try await site.service.register(phone(1)).id != account.id)
        #expect(try await site.service.register(phone(2)).id == account.id)
    }

    @Test("Before another change, the claim of a change that failed at its last step is settled, and its number registers anew")
    func settledBeforeTheNext() async throws {
        let site = try Site()
        let service = site.service
        let signedIn = try await service.signIn(phone(1))
        // A refused change leaves this claim if the claims cannot be settled after the refusal.
        try claimOnly(phone(2), for: signedIn.account.id, service)
        try await change(signedIn, to: phone(3), service)
        for number in 1...2 { #expect(try service.keyStore.account(ofPhone: phone(number).text) == nil) }
        #expect(try await service.register(phone(2)).id != signedIn.account.id)
        #expect(try await service.register(phone(3)).id == signedIn.account.id)
    }

    @Test("An account of an older release, whose number's hash is in the log, gives that number up as well")
    func olderRelease() async throws {
        let site = try Site()
        let old = AccountID(77)
        let sealed = try olderAccount(old, phone(1), site.service)
        let register = RegisterAccount(account: old, phone: site.service.keys.secret(ofPhone: phone(1).text), sealedPhone: sealed)
        _ = try await site.service.submit(.registerAccount(register), by: Caller(account: old))
        let signedIn = try await site.service.signIn(phone(1))
        #expect(signedIn.account.id == old)
        try await change(signedIn, to: phone(2), site.service)
        for _ in 0..<2 {
            #expect(try await site.service.register(phone(2)).id == old)
            #expect(try await site.service.register(phone(1)).id != old)
            try site.reopen()
        }
        _ = try await site.service.eraseAccount(by: Caller(account: old))
        #expect(try await site.service.register(phone(2)).id != old)
    }

    private func olderAccount(_ account: AccountID, _ phone: E164Number, _ service: GreenTea) throws -> Sealed {
        _ = try service.keyStore.makeKey(for: account)
        return try service.seal(phone.text, as: .phone, of: account)
    }

    /// Makes a key store in a new folder, which is removed when `folder` is released. `file` is the file of the store.
    private func keyStore(copiedBytesMax: Int) throws -> (folder: TemporaryFolder, store: KeyStore, file: URL) {
        let folder = try TemporaryFolder()
        let store = try KeyStore(
            directory: folder.path + "/keys", master: try MasterSecret(bytes: Array(repeating: 1, count: 32)),
            randomness: SeededRandomness(seed: Seed.value), copiedBytesMax: copiedBytesMax)
        return (folder, store, URL(filePath: folder.path + "/keys/data.mdb"))
    }

    @Test("No byte of a released claim stays in the key store, whether the file is copied or zeroed in place", arguments: [0, 1 << 30])
    func scrubbed(copiedBytesMax: Int) throws {
        let (folder, store, path) = try keyStore(copiedBytesMax: copiedBytesMax)
        defer { withExtendedLifetime(folder) {} }
        try store.claim((1...500).map { KeyStore.PhoneClaim(number: "+86\($0)", account: AccountID(UInt128($0))) })
        let name = [UInt8(1)] + store.keys.phoneName(of: "+867").bigEndianBytes
        let before = try Data(contentsOf: path)
        let place = try #require(before.range(of: Data(name)))
        let masked = before[place.upperBound..<place.upperBound + 32]
        #expect(try store.claimNext("+999", for: AccountID(7)) == AccountID(7))
        #expect(try store.unsettledAccounts() == [AccountID(7)])
        #expect(throws: KeyStoreError.unsettled) { try store.claimNext("+998", for: AccountID(7)) }
        try store.settle(AccountID(7), number: "+999", coming: nil)
        let after = try Data(contentsOf: path)
        for part in [0, 8, 16, 24] { #expect(after.range(of: masked.dropFirst(part).prefix(8)) == nil) }
        #expect(try store.account(ofPhone: "+867") == nil && store.account(ofPhone: "+999") == AccountID(7))
        #expect(try store.unsettledAccounts().isEmpty)
        #expect(try store.key(of: AccountID(7)) != nil)
    }

    private func isUnscrubbed(_ store: KeyStore) throws -> Bool {
        try store.state.withLock { state -> Bool in
            let file = try store.opened(&state)
            return try file.value(file.meta, KeyFile.Entry.unscrubbed.name) != nil
        }
    }

    @Test("Several accounts are settled with one rewrite of the key store, also if a crash comes before it", arguments: [false, true])
    func settledTogether(isCrash: Bool) throws {
        let (folder, store, path) = try keyStore(copiedBytesMax: 1 << 30)
        defer { withExtendedLifetime(folder) {} }
        func fileNumber() throws -> NSNumber {
            try #require(FileManager.default.attributesOfItem(atPath: path.path)[.systemFileNumber] as? NSNumber)
        }
        let accounts = (1...3).map { AccountID(UInt128($0)) }
        try store.claim(accounts.map { KeyStore.PhoneClaim(number: "+86\($0.value)", account: $0) })
        let name = [UInt8(1)] + store.keys.phoneName(of: "+862").bigEndianBytes
        let before = try Data(contentsOf: path)
        let place = try #require(before.range(of: Data(name)))
        let masked = before[place.upperBound..<place.upperBound + 32]
        let number = try fileNumber()
        for account in accounts { try store.settleUnscrubbed(account, number: "+99\(account.value)", coming: nil) }
        #expect(try fileNumber() == number && isUnscrubbed(store), "the file was not rewritten for each account")
        let copy = folder.path + "/copy"
        if isCrash {
            // A crash leaves the file as it is now.
            try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)
            try FileManager.default.copyItem(atPath: path.path, toPath: copy + "/data.mdb")
        } else {
            try store.finishSettling()
        }
        let master = try MasterSecret(bytes: Array(repeating: 1, count: 32))
        let randomness = SeededRandomness(seed: Seed.value)
        let last = try isCrash ? KeyStore(directory: copy, master: master, randomness: randomness) : store
        let after = try Data(contentsOf: isCrash ? URL(filePath: copy + "/data.mdb") : path)
        for part in [0, 8, 16, 24] { #expect(after.range(of: masked.dropFirst(part).prefix(8)) == nil) }
        #expect(try !isUnscrubbed(last))
        for account in accounts { #expect(try last.account(ofPhone: "+99\(account.value)") == account) }
    }

    @Test("No byte of an overwritten row stays in the key store, even if no row is removed", arguments: [0, 1 << 30])
    func overwritten(copiedBytesMax: Int) throws {
        let (folder, store, path) = try keyStore(copiedBytesMax: copiedBytesMax)
        defer { withExtendedLifetime(folder) {} }
        let account = AccountID(7 << 64 | 7)
        try store.claim([KeyStore.PhoneClaim(number: "+867", account: account)])
        // Without the row from the number to the account, a move overwrites the row from the account to the number and removes none.
        let claim = [UInt8(1)] + store.keys.phoneName(of: "+867").bigEndianBytes
        try store.state.withLock { try store.opened(&$0).replace([claim], by: [], leavesBytes: false) }
        let before = try Data(contentsOf: path)
        let place = try #require(before.range(of: Data([UInt8(2)] + account.value.bigEndianBytes)))
        let masked = before[place.upperBound..<place.upperBound + 32]
        try store.settle(account, number: "+999", coming: nil)
        let after = try Data(contentsOf: path)
        for part in [0, 8, 16, 24] { #expect(after.range(of: masked.dropFirst(part).prefix(8)) == nil) }
        #expect(try store.account(ofPhone: "+999") == account)
    }

    @Test("Erasing an account destroys all of its claims, also on a requested number and from a crash")
    func erasure() async throws {
        let site = try Site()
        let account = try await site.service.register(phone(1))
        let officer = Caller(account: try await site.service.register(phone(9)).id)
        _ = try await site.service.requestPhoneChange(of: account.id, to: phone(2), reason: "Lost", by: officer)
        try claimOnly(phone(3), for: account.id, site.service)
        for number in 1...3 { #expect(try site.service.keyStore.account(ofPhone: phone(number).text) == account.id) }
        _ = try await site.service.eraseAccount(by: Caller(account: account.id))
        for number in 1...3 { #expect(try site.service.keyStore.account(ofPhone: phone(number).text) == nil) }
    }

    /// Makes a copy of the keys, does some work, and starts the service with the copy in place of the keys.
    private func withOlderKeys(_ site: Site, _ work: () async throws -> Void) async throws {
        let (keys, copy) = (site.folder.path + "/keys", site.folder.path + "/copy")
        // This start notes the events that it has searched, so the next starts search only later ones.
        try site.reopen()
        try site.close()
        try FileManager.default.copyItem(atPath: keys, toPath: copy)
        try site.open()
        try await work()
        try site.close()
        try FileManager.default.removeItem(atPath: keys)
        try FileManager.default.moveItem(atPath: copy, toPath: keys)
        try site.open()
    }

    @Test("With an older copy of the keys, numbers that changed since the copy lead to the accounts that have them now")
    func olderKeys() async throws {
        let site = try Site()
        let (first, second) = (try await site.service.register(phone(1)).id, try await site.service.register(phone(2)).id)
        try await withOlderKeys(site) {
            // The two accounts exchange their numbers by way of a third one.
            try await change(site.service.signIn(phone(1)), to: phone(3), site.service)
            try await change(site.service.signIn(phone(2)), to: phone(1), site.service)
            try await change(site.service.signIn(phone(3)), to: phone(2), site.service)
        }
        #expect(try !isUnscrubbed(site.service.keyStore))
        #expect(try await site.service.register(phone(2)).id == first)
        #expect(try await site.service.register(phone(1)).id == second)
        #expect(try await ![first, second].contains(site.service.register(phone(3)).id))
    }

    /// In the copy, the numbers still belong to an account that was erased later, and to a person who has not registered.
    @Test("With an older copy of the keys, a number that was free at its change leads to the account that has it now")
    func olderKeysOfFreedNumbers() async throws {
        let site = try Site()
        let erased = try await site.service.register(phone(1)).id
        let (first, second) = (try await site.service.register(phone(2)).id, try await site.service.register(phone(3)).id)
        try claimForNobody(phone(4), site.service)
        try await withOlderKeys(site) {
            _ = try await site.service.eraseAccount(by: Caller(account: erased))
            try await change(site.service.signIn(phone(2)), to: phone(1), site.service)
            try await change(site.service.signIn(phone(3)), to: phone(4), site.service)
        }
        #expect(try await site.service.register(phone(1)).id == first)
        #expect(try await site.service.register(phone(4)).id == second)
        #expect(try await ![erased, first, second].contains(site.service.register(phone(2)).id))
    }

    @Test("A number that replaces a lost one signs in after 72 hours, ends the earlier sessions, and frees the lost number")
    func lost() async throws {
        let site = try Site()
        let service = site.service
        let signedIn = try await service.signIn(phone(1))
        let officer = Caller(account: try await service.register(phone(9)).id)
        _ = try await service.requestPhoneChange(of: signedIn.account.id, to: phone(2), reason: "Stolen", by: officer)
        await #expect(throws: ServiceError.rejected(.passwordNotValid)) { try await service.signIn(phone(2)) }
        #expect(try await service.signIn(phone(1)).account.id == signedIn.account.id)
        site.clock.move(bySeconds: Self.hold)
        #expect(try service.account(ofPhone: phone(1)) == nil && service.account(ofPhone: phone(2))?.id == signedIn.account.id)
        let found = try await service.signIn(phone(2))
        #expect(found.account.id == signedIn.account.id && found.account.comingPhone == nil)
        #expect(try service.openSessions(of: found.account.id).map(\.id) == [found.session])
        #expect(try await service.signIn(phone(1)).account.id != signedIn.account.id)
    }

    @Test("Even before the new number signs in, the lost phone's sessions end at their next refresh, and its number registers anew")
    func lostFirst() async throws {
        let site = try Site()
        let signedIn = try await site.service.signIn(phone(1))
        let officer = Caller(account: try await site.service.register(phone(9)).id)
        _ = try await site.service.requestPhoneChange(of: signedIn.account.id, to: phone(2), reason: "Stolen", by: officer)
        site.clock.move(bySeconds: Self.hold)
        await #expect(throws: ServiceError.rejected(.sessionNotValid)) { try await site.service.refresh(signedIn.refreshToken) }
        #expect(try await site.service.register(phone(1)).id != signedIn.account.id)
        try site.reopen()
        #expect(try await site.service.register(phone(2)).id == signedIn.account.id)
    }

    @Test("After an objection no account has the requested number, and a newer request frees the number of the older request")
    func objection() async throws {
        let site = try Site()
        let service = site.service
        let account = try await service.register(phone(1))
        let officer = Caller(account: try await service.register(phone(9)).id)
        _ = try await service.requestPhoneChange(of: account.id, to: phone(2), reason: "Stolen", by: officer)
        _ = try await service.requestPhoneChange(of: account.id, to: phone(3), reason: "Stolen", by: officer)
        #expect(try service.keyStore.account(ofPhone: phone(2).text) == nil)
        _ = try await service.objectToPhoneChange(by: Caller(account: account.id))
        #expect(try service.keyStore.account(ofPhone: phone(3).text) == nil)
        site.clock.move(bySeconds: Self.hold)
        #expect(try await service.register(phone(3)).id != account.id)
        #expect(try await service.register(phone(1)).id == account.id)
    }

    @Test("Of 32 changes to one number and registrations of it at once, exactly one account has it")
    func race() async throws {
        let site = try Site()
        let service = site.service
        var people: [Account] = []
        for number in 1...16 { people.append(try await service.register(phone(number))) }
        let target = phone(100)
        let sure = people
        await withTaskGroup(of: Void.self) { group in
            for account in sure {
                group.addTask {
                    guard let command = try? command(to: target, of: account, service) else { return }
                    _ = try? await service.change(account.id, to: target, displacing: true) { () throws(ServiceError) in
                        try await service.submit(command, by: Caller(account: account.id))
                    }
                }
                group.addTask { _ = try? await service.register(target) }
            }
        }
        let holder = try await service.register(target)
        let now = try sure.map { account in try #require(try service.past.account(account.id)) }
        let holders = try now.filter { try service.phone(of: $0) == target }
        #expect(holders.isEmpty || holders.map(\.id) == [holder.id])
        for (account, number) in zip(now, 1...16) where account.id != holder.id {
            #expect(try service.account(ofPhone: phone(number))?.id == account.id)
        }
    }
}
