import CommandService
import Composition
import EventLog
import Foundation
import Loyalty
import LoyaltyCodec
import Seeds
import Testing

/// The key store, not the log, records which account a phone number belongs to.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct PhoneClaimTests {
    private func store(_ folder: TemporaryFolder, copiedBytesMax: Int = 0) throws -> KeyStore {
        let master = try MasterSecret(bytes: Array(repeating: 1, count: 32))
        return try KeyStore(
            directory: folder.path + "/keys", master: master, randomness: SeededRandomness(seed: Seed.value),
            copiedBytesMax: copiedBytesMax)
    }

    private func claim(_ number: Int) -> KeyStore.PhoneClaim {
        KeyStore.PhoneClaim(number: "+8613800\(100_000 + number)", account: AccountID(UInt128(number) << 64 | 7))
    }

    @Test("Two claims of one number both get the first claim's account and key")
    func firstComes() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder)
        let first = try store.claim([KeyStore.PhoneClaim(number: "+86138", account: AccountID(1))])[0]
        let second = try store.claim([KeyStore.PhoneClaim(number: "+86138", account: AccountID(2))])[0]
        #expect(first.account == AccountID(1) && second == first)
        #expect(try store.key(of: AccountID(2)) == nil && store.account(ofPhone: "+86138") == AccountID(1))
        #expect(try store.account(ofPhone: "+86139") == nil)
    }

    @Test("A destroyed key's claim leaves no byte in the file, whether the file is copied or zeroed in place", arguments: [0, 1 << 30])
    func scrubbed(copiedBytesMax: Int) throws {
        let folder = try TemporaryFolder()
        let store = try store(folder, copiedBytesMax: copiedBytesMax)
        try store.claim((0..<3_000).map(claim))
        let path = URL(filePath: folder.path + "/keys/data.mdb")
        let name = [1] + bytes(store.keys.phoneName(of: "+8613800101234"))
        let before = try Data(contentsOf: path)
        let place = try #require(before.range(of: Data(name)))
        let masked = before[place.upperBound..<place.upperBound + 32]
        #expect(try store.destroyKey(of: AccountID(1_234 << 64 | 7)))
        let after = try Data(contentsOf: path)
        for part in [0, 8, 16, 24] { #expect(after.range(of: masked.dropFirst(part).prefix(8)) == nil) }
        #expect(try store.account(ofPhone: "+8613800101234") == nil)
        for number in [0, 1_233, 1_235, 2_999] {
            #expect(try store.account(ofPhone: "+8613800\(100_000 + number)") == AccountID(UInt128(number) << 64 | 7))
        }
        let anew = KeyStore.PhoneClaim(number: "+8613800101234", account: AccountID(9))
        #expect(try store.claim([anew])[0].account == AccountID(9))
    }

    @Test("A registration that crashed right after its claim continues with the same account")
    func crash() async throws {
        let site = try Site()
        let cut = try await site.service.registrations(of: [phone(1).text])[0]
        #expect(try site.service.past.account(cut.account) == nil)
        try site.reopen()
        #expect(try await site.service.register(phone(1)).id == cut.account)
    }

    @Test("A number whose account was erased gets a new account even before the old key is destroyed")
    func halfErased() async throws {
        let site = try Site()
        let first = try await site.service.register(phone(1))
        _ = try await site.service.submit(.eraseAccount(EraseAccount()), by: Caller(account: first.id))
        let second = try await site.service.register(phone(1))
        #expect(second.id != first.id && second.phone != first.phone)
        #expect(try site.service.open(first.sealedPhone, as: .phone, of: first.id) == nil)
    }

    @Test("An account of an older release is found by its logged hash, and after its erasure the number gets an account without that hash")
    func olderRelease() async throws {
        let site = try Site()
        let old = try await site.service.register(phone(2))
        let hash = site.service.keys.secret(ofPhone: phone(1).text)
        let command = RegisterAccount(account: AccountID(77), phone: hash, sealedPhone: old.sealedPhone)
        _ = try await site.service.submit(.registerAccount(command), by: Caller(account: AccountID(77)))
        #expect(try await site.service.register(phone(1)).id == AccountID(77))
        _ = try await site.service.eraseAccount(by: Caller(account: AccountID(77)))
        let next = try await site.service.register(phone(1))
        #expect(next.id != AccountID(77))
        #expect(next.phone == site.service.keys.secret(inPlaceOfPhone: next.id))
        try site.reopen()
        #expect(try await site.service.register(phone(1)) == next)
    }

    private func bytes(_ number: UInt128) -> [UInt8] {
        stride(from: 120, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt128($0)) }
    }
}
