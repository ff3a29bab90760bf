import CommandService
import Composition
import EventLog
import Foundation
import Loyalty
import LoyaltyCodec
import ReadModels
import Seeds
import Testing

/// Data keys are wrapped and stored separately from the log. Sealed data cannot be opened without them.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct KeyStoreTests {
    @Test("A key survives the closing and reopening of its store")
    func reopened() throws {
        let folder = try TemporaryFolder()
        let made = try store(folder.path).makeKey(for: AccountID(1))
        let again = try store(folder.path)
        #expect(try again.key(of: AccountID(1)) == made)
        #expect(try again.key(of: AccountID(2)) == nil)
    }

    @Test("Only the owner may read the keys, also after the file was replaced, and where an earlier release left them open to others")
    func theFileIsPrivate() throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/keys/data.mdb"
        func mode() throws -> Int? { try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int }
        _ = try manyKeys(in: folder)
        #expect(try mode() == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        #expect(try store(folder.path).destroyKey(of: AccountID(1)))
        #expect(try mode() == 0o600)
    }

    @Test("A check of the master secret refuses a wrong one, and does not change the file")
    func checkOnly() throws {
        let folder = try TemporaryFolder()
        _ = try manyKeys(in: folder)
        let keys = folder.path + "/keys"
        let before = try Data(contentsOf: URL(filePath: keys + "/data.mdb"))
        try KeyStore.check(try MasterSecret(bytes: Array(repeating: 1, count: 32)), in: keys)
        #expect(throws: KeyStoreError.wrongMasterSecret) {
            try KeyStore.check(try MasterSecret(bytes: Array(repeating: 2, count: 32)), in: keys)
        }
        #expect(try Data(contentsOf: URL(filePath: keys + "/data.mdb")) == before)
    }

    @Test("An account that has a key keeps it when a key is made for it again")
    func aKeyIsNeverMadeTwice() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder.path)
        let made = try store.makeKey(for: AccountID(1))
        #expect(try store.makeKey(for: AccountID(1)) == made)
        #expect(try store.key(of: AccountID(1)) == made)
        #expect(try store.makeKey(for: AccountID(2)) != made)
    }

    @Test("A full store names the setting for its limit and accepts keys again once it is raised")
    func aFullStoreNamesItsSetting() throws {
        let folder = try TemporaryFolder()
        let accounts = (1...5_000).map { AccountID(UInt128($0)) }
        do {
            try store(folder.path, map: MapLimit(bytes: 1 << 17, setting: "--keys-map-gib")).makeKeys(for: accounts)
            Issue.record("5,000 keys were stored in 128 KiB")
        } catch {
            #expect("\(error)".contains("larger --keys-map-gib"))
        }
        try store(folder.path, map: MapLimit(bytes: 1 << 24)).makeKeys(for: accounts)
    }

    @Test("One call makes keys for many accounts, except those that already have one")
    func oneCall() throws {
        let folder = try TemporaryFolder()
        let (one, others) = try manyKeys(in: folder)
        let again = try store(folder.path)
        #expect(try again.key(of: AccountID(2)) == one)
        #expect(try [1, 3].map { try again.key(of: AccountID($0)) } == others)
    }

    /// Creates keys, and closes the store before returning.
    private func manyKeys(in folder: TemporaryFolder) throws -> (one: DataKey, others: [DataKey]) {
        let store = try store(folder.path)
        let one = try store.makeKey(for: AccountID(2))
        try store.makeKeys(for: [AccountID(1), AccountID(2), AccountID(3)])
        #expect(try store.key(of: AccountID(2)) == one)
        let others = try [1, 3].map { try #require(try store.key(of: AccountID($0))) }
        #expect(others[0] != others[1])
        return (one, others)
    }

    @Test("A store refuses a wrong master secret, and then still opens with the right one")
    func wrongSecret() throws {
        let folder = try TemporaryFolder()
        _ = try store(folder.path)
        #expect(throws: KeyStoreError.self) { try store(folder.path, secret: 2) }
        _ = try store(folder.path)
    }

    @Test("A sealed text opens only with its owner's key and as its own kind of text")
    func ownersKey() async throws {
        let site = try Site()
        let shop = try await TeaShop.open(on: site.service)
        let (guest, other) = (try await customer(1, on: site.service), try await customer(2, on: site.service))
        let posted = try await site.service.postReview(of: shop.shop, rating: 5, text: "最好的茶", by: guest)
        guard case .reviewPosted(let review) = posted.facts.first?.event, let text = review.text else { throw TestFailure("no text") }
        try site.reopen()
        #expect(try site.service.open(text, as: .reviewText, of: guest.account) == "最好的茶")
        #expect(try site.service.open(text, as: .reviewText, of: other.account) == nil)
        #expect(try site.service.open(text, as: .replyText, of: guest.account) == nil)
        #expect(try site.service.open(text, as: .reviewText, of: AccountID(77)) == nil)
    }

    @Test("No file of the data folder holds a phone number, text, code, token or idempotency key in clear")
    func nothingInClear() async throws {
        let site = try Site()
        let shop = try await TeaShop.open(on: site.service, goal: 1)
        let guest = try await customer(123, on: site.service)
        let signedIn = try await site.service.signIn(phone(123))
        let review = try await site.service.postReview(of: shop.shop, rating: 4, text: "a very secret opinion", by: guest)
        guard case .reviewPosted(let posted) = review.facts.first?.event else { throw TestFailure("no review") }
        _ = try await site.service.postReply(to: posted.review, text: "a very secret answer", by: shop.owner)
        let code = try await shop.code(on: site.service)
        let card = try #require(try await site.service.stamp(code, by: guest.under("my own key", on: site.service)).cards.first)
        let redemption = try await shop.redemptionCode(of: card.id, by: guest, on: site.service)
        #expect(await site.service.models.reached(site.service.log.head, timeoutSeconds: 900))
        let token = String(signedIn.refreshToken.split(separator: ".")[1])
        try site.close()

        let secrets = [
            phone(123).text, String(phone(123).text.dropFirst()), "a very secret opinion", "a very secret answer", "my own key",
            code.text, code.text.filter { $0 != "-" }, redemption.text, redemption.text.filter { $0 != "-" }, token,
        ]
        #expect(site.folder.files.count > 4)
        for file in site.folder.files {
            let bytes = try Data(contentsOf: URL(filePath: file))
            for secret in secrets { #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(secret) in \(file)") }
        }
        // This control shows that the search finds text that is present: the shop's address is public.
        let all = try site.folder.files.map { try Data(contentsOf: URL(filePath: $0)) }
        #expect(all.contains { $0.range(of: Data("1 Tea Road".utf8)) != nil })
    }

    private func store(_ path: String, secret: UInt8 = 1, map: MapLimit = .init()) throws -> KeyStore {
        let master = try MasterSecret(bytes: Array(repeating: secret, count: 32))
        return try KeyStore(directory: path + "/keys", master: master, randomness: SeededRandomness(seed: Seed.value), map: map)
    }
}
