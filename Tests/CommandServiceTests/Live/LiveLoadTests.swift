import EventLog
import Loyalty
import LoyaltyCodec
import Patience
import ReadModels
import Testing

@testable import CommandService
@testable import Composition

/// The state with which a stream begins.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct LiveLoadTests {
    @Test("A stream of a holder with thousands of cards begins after a bounded number of reads")
    func thousandsOfCards() async throws {
        let site = try Site()
        let service = site.service
        let shop = try await TeaShop.open(on: service, goal: 1)
        let guest = try await customer(1, on: service)
        for _ in 0..<100 { _ = try await service.stamp(try await shop.code(on: service, stamps: 10), by: guest) }
        let head = service.log.head
        try await eventually("the model has all cards") { service.models.position(of: Notices.name) >= head }

        let places = try service.models.notices.places(of: guest.account)
        #expect(places.shops.count == 1 && places.held.count == 1 && places.held[shop.campaign]?.live == 1_000)
        let counted = CountedSource(service.log)
        let interest = try await LiveInterest.load(of: guest.account, places, from: counted, after: head, through: head)
        #expect(counted.reads <= 2, "\(counted.reads) events were read")
        // Without the model's data, loading the same state has to fold all of these events.
        let folded = try await LiveInterest.load(of: guest.account, NoticePlaces(), from: counted, after: head, through: head)
        #expect(folded == interest && counted.reads > 1_000)
    }

    /// A model that is behind, or ahead, of the position at which the stream begins must not count a card twice.
    @Test("A stream begins with the same state, whatever position the model has reached")
    func anyModel() async throws {
        let site = try Site()
        let service = site.service
        let shop = try await TeaShop.open(on: service, goal: 1)
        let guest = try await customer(1, on: service)
        var known: [NoticePlaces] = []
        func see() async throws {
            let head = service.log.head
            try await eventually("the model has reached the head") { service.models.position(of: Notices.name) >= head }
            known.append(try service.models.notices.places(of: guest.account))
        }
        try await see()
        for number in 0..<6 {
            let card = try #require(try await service.stamp(try await shop.code(on: service), by: guest).cards.first?.id)
            try await see()
            if number.isMultiple(of: 2) {
                let code = try await shop.redemptionCode(of: card, by: guest, on: service)
                let redeemed = try await service.redeem(code, by: shop.owner)
                try await see()
                guard case .cardRedeemed(let event) = redeemed.facts.first?.event else { throw TestFailure("not redeemed") }
                if number == 4 { _ = try await service.reverse(event.redemption, reason: "Mistake", by: shop.owner) }
                try await see()
            }
            // The rewards of cards 0 and 2 were handed out before, so the account no longer holds these two cards when it discards them.
            if number < 4 { _ = try await service.submit(.discardCard(DiscardCard(card: card)), by: guest) }
            try await see()
        }
        let head = service.log.head
        let states = try await known.mapAsync { places in
            try await LiveInterest.load(of: guest.account, places, from: service.log, after: head, through: head)
        }
        #expect(states.count > 12)
        for state in states {
            #expect(state.held[shop.campaign]?.live == 2 && state.held[shop.campaign]?.stretches.count == 1)
            #expect(state.held == states[0].held && state.shops == states[0].shops)
        }
        // A model that is ahead of the stream already includes later events. When the stream gets these events, they change nothing.
        let newest = try #require(known.last)
        let early = try #require(known.dropFirst().first)
        var ahead = try await LiveInterest.load(of: guest.account, newest, from: service.log, after: head, through: early.position)
        for fact in try facts(of: service) where fact.position > early.position.rawValue { ahead.note(fact) }
        #expect(ahead.held == states[0].held)
    }

    @Test("Mutes that ended before the stream begins are not kept")
    func mutes() async throws {
        let site = try Site()
        let service = site.service
        let shop = try await TeaShop.open(on: service)
        let guest = try await customer(1, on: service)
        for _ in 0..<5 {
            _ = try await service.submit(.muteShop(MuteShop(shop: shop.shop)), by: guest)
            _ = try await service.submit(.unmuteShop(UnmuteShop(shop: shop.shop)), by: guest)
        }
        let head = service.log.head
        func load(after start: Position) async throws -> LiveInterest {
            try await LiveInterest.load(of: guest.account, NoticePlaces(), from: service.log, after: start, through: head)
        }
        #expect(try await load(after: .start).mutes[shop.shop]?.stretches.count == 5)
        #expect(try await load(after: head).mutes.isEmpty)
    }
}

extension Array {
    fileprivate func mapAsync<Value>(_ body: (Element) async throws -> Value) async throws -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await body(element)) }
        return values
    }
}
