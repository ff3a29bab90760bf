import CommandService
import Composition
import EventLog
import Loyalty
import Patience
import ReadModels
import Testing
import World

/// The disk stalls and the queue fills. Further requests are refused at once and leave no trace.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct OverloadTests {
    @Test("A full queue refuses commands at once, and no refused command is stored")
    func fullQueue() async throws {
        let durability = StagedDurability()
        let site = try Site(queueLimit: 16, durability: durability)
        let shop = try await TeaShop.open(on: site.service)
        durability.shut()
        let first = Task { [service = site.service] in try await shop.code(on: service) }
        try await durability.writerArrived()
        let waiting = Task { [service = site.service] in try await concurrently(16) { _ in try await shop.code(on: service) } }
        try await eventually("the queue is full") { site.service.queueDepth == 16 }
        let refused = try await concurrently(200) { [service = site.service] _ in
            await outcome(of: try await service.issueCode(of: shop.campaign, stamps: 1, validFor: 60, by: shop.owner))
        }
        #expect(refused.allSatisfy { $0 == .failure(.overloaded) })
        durability.open()
        _ = (try await first.valueInTime(), try await waiting.valueInTime())
        #expect(try world(of: site.service).codes.count == 17)
        _ = try await shop.code(on: site.service)
    }

    @Test("A pending command is not visible in the log's head, to readers or in the models")
    func pendingCommand() async throws {
        let durability = StagedDurability()
        let site = try Site(durability: durability)
        let shop = try await TeaShop.open(on: site.service)
        let guest = try await customer(1, on: site.service)
        let code = try await shop.code(on: site.service)
        let head = site.service.log.head
        #expect(await site.service.models.reached(head, timeoutSeconds: 900))
        durability.shut()
        let stamping = Task { [service = site.service] in try await service.stamp(code, by: guest) }
        try await durability.writerArrived()
        #expect(site.service.log.head == head)
        #expect(site.service.models.position == head)
        #expect(try site.service.past.collectingCard(of: guest.account, in: shop.campaign) == nil)
        #expect(try site.service.models.cards.cards(of: guest.account, statuses: [.collecting], before: nil, limit: 10).cards.isEmpty)
        durability.open()
        let acceptance = try await stamping.valueInTime()
        #expect(site.service.log.head == acceptance.position)
        #expect(try site.service.past.collectingCard(of: guest.account, in: shop.campaign) == acceptance.cards.first)
    }

    @Test("Models that reached a stamp's position show the stamp")
    func reachedModels() async throws {
        let site = try Site()
        let shop = try await TeaShop.open(on: site.service)
        let guest = try await customer(1, on: site.service)
        for stamps in 1...5 {
            let acceptance = try await site.service.stamp(try await shop.code(on: site.service), by: guest)
            #expect(await site.service.models.reached(acceptance.position, timeoutSeconds: 900))
            let card = try #require(acceptance.cards.first)
            #expect(card.stamps == stamps)
            #expect(try site.service.models.cards.card(card.id) == card)
        }
    }
}
