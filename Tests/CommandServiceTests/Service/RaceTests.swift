import CommandService
import Composition
import EventLog
import Loyalty
import LoyaltyCodec
import SharedLogs
import Testing
import World

/// Concurrent requests: each code is used once, and no stamp is created or lost.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct RaceTests {
    @Test("A code that many customers submit concurrently has one winner", arguments: DurabilityKind.ofService)
    func oneWinner(over kind: DurabilityKind) async throws {
        let site = try Site(over: kind)
        let shop = try await TeaShop.open(on: site.service)
        let guests = try await guests(96, on: site.service)
        let code = try await shop.code(on: site.service)
        let outcomes = try await concurrently(guests.count) { [service = site.service] number in
            await outcome(of: try await service.stamp(code, by: guests[number]))
        }
        #expect(outcomes.filter { (try? $0.get()) != nil }.count == 1)
        #expect(outcomes.filter { $0 == .failure(.rejected(.codeNotValid)) }.count == guests.count - 1)
        try site.expectSameShared()
    }

    @Test("A redemption code that is submitted concurrently hands out one reward")
    func oneReward() async throws {
        let site = try Site()
        let shop = try await TeaShop.open(on: site.service, goal: 1)
        let guest = try await customer(1, on: site.service)
        let card = try #require(try await site.service.stamp(try await shop.code(on: site.service), by: guest).cards.first?.id)
        let code = try await shop.redemptionCode(of: card, by: guest, on: site.service)
        let outcomes = try await concurrently(64) { [service = site.service] _ in
            await outcome(of: try await service.redeem(code, by: shop.owner))
        }
        #expect(outcomes.filter { (try? $0.get()) != nil }.count == 1)
        #expect(outcomes.filter { $0 == .failure(.rejected(.redemptionNotValid)) }.count == 63)
        #expect(try site.service.past.card(card)?.status == .redeemed)
    }

    /// Each code has more stamps than the goal.
    @Test("A holder has one collecting card and no overfull one, even if many codes overflow concurrently")
    func overflow() async throws {
        let site = try Site(cachedEntitiesMax: 4)
        let shop = try await TeaShop.open(on: site.service, goal: 7)
        let guest = try await customer(1, on: site.service)
        let codes = try await concurrently(80) { [service = site.service] _ in try await shop.code(on: service, stamps: 10) }
        let accepted = try await concurrently(codes.count) { [service = site.service] in try await service.stamp(codes[$0], by: guest) }
        let cards = try cards(in: site.service)
        #expect(accepted.count == 80)
        #expect(cards.reduce(0) { $0 + $1.stamps } == 800)
        #expect(cards.filter { $0.status == .collecting }.count == 1)
        #expect(cards.allSatisfy { $0.stamps <= 7 && ($0.status == .collecting || $0.stamps == 7) })
    }

    /// Customers stamp, discard and redeem concurrently, and two customers compete for each code.
    @Test(
        "All cards together have exactly the stamps of all used codes after concurrent visits",
        arguments: [(8, DurabilityKind.local), (65_536, .local), (65_536, .sharedWithFaults)])
    func stampsAreConserved(cachedEntitiesMax: Int, over kind: DurabilityKind) async throws {
        let site = try Site(cachedEntitiesMax: cachedEntitiesMax, over: kind)
        let shop = try await TeaShop.open(on: site.service, goal: 4)
        let guests = try await guests(24, on: site.service)
        _ = try await concurrently(guests.count) { [service = site.service] number in
            try await visit(shop, by: guests, number, times: 40, on: service)
        }
        let world = try world(of: site.service)
        let used = world.codes.values.filter(\.isUsed).reduce(0) { $0 + $1.stamps }
        #expect(used > 1_000)
        #expect(world.cards.values.reduce(0) { $0 + $1.stamps } == used)
        #expect(world.cards.values.allSatisfy { $0.stamps <= $0.goal })
        let collecting = world.cards.values.filter { $0.status == .collecting }
        #expect(Set(collecting.map(\.holder)).count == collecting.count, "each holder has one collecting card")
        try expectPast(site.service.past, toBe: world)
        try site.expectSameShared()
    }

    /// Runs a customer's day. The customer and a rival submit each code, and full cards are redeemed or discarded.
    private func visit(_ shop: TeaShop, by guests: [Caller], _ number: Int, times: Int, on service: GreenTea) async throws {
        let (guest, rival) = (guests[number], guests[(number + 1) % guests.count])
        for time in 0..<times {
            let code = try await shop.code(on: service, stamps: 1 + (number + time) % 5)
            async let mine = outcome(of: try await service.stamp(code, by: guest))
            async let theirs = outcome(of: try await service.stamp(code, by: rival))
            let accepted = await [mine, theirs].compactMap { try? $0.get() }
            #expect(accepted.count == 1)
            guard let card = accepted.first?.cards.first, card.status == .full else { continue }
            let holder = Caller(account: card.holder)
            if time % 3 == 0 {
                _ = try await service.submit(.discardCard(DiscardCard(card: card.id)), by: holder)
            } else {
                try await redeem(card, at: shop, on: service)
            }
        }
    }

    private func redeem(_ card: Card, at shop: TeaShop, on service: GreenTea) async throws {
        let code = try await shop.redemptionCode(of: card.id, by: Caller(account: card.holder), on: service)
        _ = try await service.redeem(code, by: shop.owner)
    }

    private func guests(_ count: Int, on service: GreenTea) async throws -> [Caller] {
        try await concurrently(count) { try await customer($0, on: service) }
    }

    private func cards(in service: GreenTea) throws -> [Card] { Array(try world(of: service).cards.values) }
}

/// Returns the world that results from folding the whole log.
func world(of service: GreenTea) throws -> World {
    var world = World()
    for number in 1...service.log.head.rawValue {
        let event = try #require(try service.log.event(at: .init(number)), "the log has no event at position \(number)")
        world.evolve(try LoyaltyCodec.decode(event))
    }
    return world
}
