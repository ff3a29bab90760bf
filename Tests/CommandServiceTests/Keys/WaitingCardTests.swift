import EventLog
import LMDB
import Loyalty
import LoyaltyCodec
import Testing

@testable import CommandService
@testable import Composition

/// Cards that shops stamped for an unregistered phone number. The person who verifies the number gets them.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct WaitingCardTests {
    private static let day: Int64 = 86_400

    /// Stamps a phone number's card at the counter.
    ///
    /// - Returns: the account for which the number is claimed.
    private func stamp(_ number: E164Number, _ shop: TeaShop, _ service: GreenTea) async throws -> AccountID {
        let given = try await service.giveStamps(NumberGift(1, at: CampaignPlace(shop.campaign), toPhone: number, by: shop.owner))
        return try #require(given.cards.first?.holder)
    }

    @Test("The ninety days begin at the newest stamp, however long ago the first stamp was", arguments: [0, 89, 91])
    func fromTheNewest(_ days: Int64) async throws {
        let site = try Site()
        let shop = try await TeaShop.open(on: site.service)
        let holder = try await stamp(phone(1), shop, site.service)
        for _ in 0..<4 {
            site.clock.move(bySeconds: 7 * Self.day)
            #expect(try await stamp(phone(1), shop, site.service) == holder)
        }
        site.clock.move(bySeconds: days * Self.day)
        let person = try await site.service.register(phone(1))
        #expect((person.id == holder) == (days < 90))
        let card = try #require(try site.service.reading { try $0.collectingCard(of: holder, in: shop.campaign) })
        #expect(card.stamps == 5)
        #expect(try (site.service.keyStore.key(of: holder) != nil) == (days < 90))
    }

    @Test("A number that was claimed and never stamped waits ninety days from its claim", arguments: [89, 91])
    func fromTheClaim(_ days: Int64) async throws {
        let site = try Site()
        guard case .new(let claimed) = try await site.service.registrations(of: [phone(1).text])[0] else { throw TestFailure("known") }
        site.clock.move(bySeconds: days * Self.day)
        #expect((try await site.service.register(phone(1)).id == claimed.account) == (days < 90))
    }

    @Test("Stamps for a number whose account is erased before they are decided wait for whoever verifies the number")
    func erasedMeanwhile() async throws {
        let site = try Site()
        let shop = try await TeaShop.open(on: site.service)
        let person = Caller(account: try await site.service.register(phone(1)).id)
        let gift = NumberGift(1, at: CampaignPlace(shop.campaign), toPhone: phone(1), by: shop.owner)
        let given = try await site.service.giveStamps(gift) { _ = try? await site.service.eraseAccount(by: person) }
        let holder = try #require(given.cards.first?.holder)
        #expect(holder != person.account)
        #expect(try await site.service.register(phone(1)).id == holder)
    }

    @Test("A clock that jumps ninety days ahead takes nobody's cards, be it for a moment or until the service starts again")
    func jump() async throws {
        let site = try Site()
        let shop = try await TeaShop.open(on: site.service)
        let first = try await stamp(phone(1), shop, site.service)
        let second = try await stamp(phone(2), shop, site.service)
        site.clock.set(bySeconds: 91 * Self.day)
        // According to the wrong clock the campaign is over, so the stamp is refused, but the number's claim stays.
        await #expect(throws: ServiceError.self) { try await stamp(phone(1), shop, site.service) }
        #expect(try site.service.keyStore.account(ofPhone: phone(1).text) == first)
        #expect(try await site.service.register(phone(2)).id == second)
        site.clock.set(bySeconds: -91 * Self.day)
        site.clock.move(bySeconds: 60)
        #expect(try await site.service.register(phone(1)).id == first)
        #expect(try site.service.keyStore.key(of: first) != nil)
    }

    @Test("Taking over cards reads rows in proportion to their number, also by a retry")
    func linear() async throws {
        let (few, many) = (try await rowsRead(cards: 10), try await rowsRead(cards: 40))
        #expect(many < 5 * few, "\(few) rows for 10 cards, \(many) for 40")
    }

    /// Takes over as many cards as there are, each full, and then all of them again.
    private func rowsRead(cards: Int) async throws -> Int {
        let site = try Site()
        let shop = try await TeaShop.open(on: site.service, goal: 1, options: CampaignOptions(repeats: 99))
        let person = Caller(account: try await site.service.register(phone(2)).id)
        var holder: AccountID?
        for _ in 0..<cards { holder = try await stamp(phone(1), shop, site.service) }
        let tag = Tag(kind: .account, value: try #require(holder).value)
        let opened = try site.service.reading { try $0.facts([.cardOpened], tag) }.compactMap(\.event.card)
        let meter = ReadMeter()
        try await ReadMeter.$current.withValue(meter) {
            for card in opened + opened {
                _ = try await site.service.submit(.takeWaitingCard(TakeWaitingCard(card: card)), by: person)
            }
        }
        #expect(try site.service.reading { try $0.tally(of: person.account, in: shop.campaign) }.filled == opened.count)
        return meter.rows
    }
}
