import EventLog
import Loyalty
import LoyaltyCodec
import Synchronization
import Testing

@testable import CommandService
@testable import Composition

/// The key store gets no key for a shop that will not open, because nothing would ever remove such a key.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct ShopKeyTests {
    private func open(_ images: [ImageID] = [], by owner: Caller, on service: GreenTea) async throws -> Acceptance {
        try await service.openShop(
            name: "绿茶", phone: "+86 21 5555", address: "1 Tea Road", location: Coordinate(latitude: 31.2, longitude: 121.5), images: images,
            by: owner)
    }

    private func keyCount(of service: GreenTea) throws -> Int {
        let store = service.keyStore
        return try store.state.withLock { state in
            var count = 0
            try store.opened(&state).eachKey { _, _ in count += 1 }
            return count
        }
    }

    @Test("A repeated request to open a shop makes no second key")
    func repeated() async throws {
        let site = try Site()
        let owner = try await customer(1, on: site.service).under("shop", on: site.service)
        let first = try await open(by: owner, on: site.service)
        let keys = try keyCount(of: site.service)
        let again = try await open(by: owner, on: site.service)
        #expect(again.isReplay && again.facts == first.facts)
        #expect(try keyCount(of: site.service) == keys)
    }

    @Test("An erased owner's shops keep no keys, although all of them but one close before the erasure")
    func erasedOwner() async throws {
        let site = try Site()
        let owner = try await customer(1, on: site.service)
        let keys = try keyCount(of: site.service)
        for _ in 0..<3 { _ = try await open(by: owner, on: site.service) }
        #expect(try keyCount(of: site.service) == keys + 3)
        let erased = try await site.service.eraseAccount(by: owner)
        #expect(try keyCount(of: site.service) == keys - 1)
        let before = try site.service.reading(through: Position(rawValue: erased.facts[0].position - 1)) {
            try $0.shops(ownedBy: owner.account)
        }
        #expect(before.map { $0.closing == nil } == [false, false, true])
        #expect(before.allSatisfy { $0.contact != .erased })
    }

    @Test("A reward opens again from memory, and no longer once the shop's key is destroyed")
    func reward() async throws {
        let site = try Site()
        let (store, shop) = (site.service.keyStore, ShopID(7))
        let sealed = try await blocking {
            let key = try store.makeKey(for: shop.keyHolder)
            let nonce = [UInt8](repeating: 1, count: Sealing.nonceLength)
            return try Sealing.seal("One tea", field: .campaignReward, of: shop.keyHolder, under: key, nonce: nonce)
        }
        for _ in 0..<2 { #expect(try store.reward(sealed, of: shop) == "One tea") }
        #expect(try await blocking { try store.destroyKey(of: shop.keyHolder) })
        #expect(try store.reward(sealed, of: shop) == nil)
    }

    @Test("Two requests with one key that erase an owner at the same time get one answer, although the shops close one by one")
    func erasedAtOnce() async throws {
        let site = try Site()
        let service = site.service
        let person = try await customer(1, on: service)
        for _ in 0..<8 { _ = try await open(by: person, on: service) }
        let owner = person.under("erasure", on: service)
        async let one = service.eraseAccount(by: owner)
        async let other = service.eraseAccount(by: owner)
        let answers = try await [one, other]
        #expect(answers[0].facts == answers[1].facts && answers[0].position == answers[1].position)
        #expect(answers.filter(\.isReplay).count == 1)
    }

    @Test("A shop that is refused for its pictures gets no key")
    func refused() async throws {
        let site = try Site()
        let owner = try await customer(1, on: site.service)
        let keys = try keyCount(of: site.service)
        let twice = [ImageID(1), ImageID(1)]
        await #expect(throws: ServiceError.self) { try await open(twice, by: owner, on: site.service) }
        #expect(try keyCount(of: site.service) == keys)
    }
}
