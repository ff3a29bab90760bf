import EventLog
import Foundation
import Loyalty
import LoyaltyCodec
import ReadModels
import Testing

@testable import CommandService
@testable import Composition

/// The lapse of a shop's offer is recorded exactly once, even if the clock jumps, the process restarts or the scheduler is late.
@Suite("Offers of shops and the scheduler", .timeLimit(.minutes(15)))
struct TransferLapseTests {
    private static let day: Int64 = 86_400

    private func lapses(on service: GreenTea) throws -> [Fact] {
        let query = Query.items([QueryItem(types: [.transferLapsed], tags: [])])
        return try service.log.events(matching: query, after: .start).map { try LoyaltyCodec.decode($0) }
    }

    /// Offers the shop to an account, and returns the event that records the lapse of this offer.
    private func offer(_ shop: TeaShop, to account: AccountID, on service: GreenTea) async throws -> TransferLapsed {
        let acceptance = try await service.offerTransfer(of: shop.shop, to: account, by: shop.owner)
        guard case .transferOffered(let event) = acceptance.facts.last?.event else { throw TestFailure("no offer") }
        return TransferLapsed(invitation: event.invitation, shop: event.shop, account: event.account, dueAt: event.expiresAt)
    }

    @Test("A lapse is recorded once, with its due time, while the clock is set forward and back, and the offer stays lapsed")
    func clock() async throws {
        let site = try Site()
        let service = site.service
        let shop = try await TeaShop.open(on: service)
        let guest = try await customer(1, on: service)
        let expected = try await offer(shop, to: guest.account, on: service)
        #expect(try await service.runDue() == 0)
        // A lapse is final, so a clock that only jumps records none.
        site.clock.set(bySeconds: 8 * Self.day)
        #expect(try await service.runDue() == 0)
        site.clock.set(bySeconds: -8 * Self.day)
        site.clock.move(bySeconds: 8 * Self.day)
        for days: Int64 in [0, -6, 40] {
            site.clock.set(bySeconds: days * Self.day)
            _ = try await service.runDue()
            _ = try await service.runDue()
            await #expect(throws: ServiceError.rejected(.offerNotOpen)) {
                try await service.submit(.acceptInvitation(AcceptInvitation(invitation: expected.invitation)), by: guest)
            }
        }
        let facts = try lapses(on: service)
        #expect(facts.map(\.event) == [.transferLapsed(expected)])
        #expect(facts.allSatisfy { $0.actor == .system && $0.time >= expected.dueAt })
    }

    @Test("After a month without the service a lapse is recorded once, even without derived data")
    func downtime() async throws {
        let site = try Site()
        let shop = try await TeaShop.open(on: site.service)
        let guest = try await customer(1, on: site.service)
        let expected = try await offer(shop, to: guest.account, on: site.service)
        try site.close()
        try FileManager.default.removeItem(atPath: site.folder.path + "/derived")
        site.clock.move(bySeconds: 30 * Self.day)
        try site.open()
        #expect(try await site.service.runDue() == 1)
        try site.reopen()
        #expect(try await site.service.runDue() == 0)
        #expect(try lapses(on: site.service).map(\.event) == [.transferLapsed(expected)])
        #expect(try site.service.models.deadlines.due(through: site.service.clock.now(), limit: 10).isEmpty)
    }

    @Test("If the scheduler is late, the owner's next offer records the lapse, and the scheduler records only that of the next offer")
    func late() async throws {
        let site = try Site()
        let service = site.service
        let shop = try await TeaShop.open(on: service)
        let guest = try await customer(1, on: service)
        let first = try await offer(shop, to: guest.account, on: service)
        site.clock.move(bySeconds: 8 * Self.day)
        let second = try await offer(shop, to: guest.account, on: service)
        #expect(try await service.runDue() == 0)
        site.clock.move(bySeconds: 8 * Self.day)
        #expect(try await service.runDue() == 1)
        let facts = try lapses(on: service)
        #expect(facts.map(\.event) == [.transferLapsed(first), .transferLapsed(second)])
        #expect(facts.map(\.actor) == [shop.owner.account, .system])
    }

    @Test("The scheduler's command, submitted many times at once, records one lapse")
    func atOnce() async throws {
        let site = try Site()
        let service = site.service
        let shop = try await TeaShop.open(on: service)
        let guest = try await customer(1, on: service)
        _ = try await offer(shop, to: guest.account, on: service)
        site.clock.move(bySeconds: 7 * Self.day)
        let command = Command.lapseTransfer(LapseTransfer(shop: shop.shop))
        let recorded = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<64 { group.addTask { try await service.submit(command, by: .system).facts.count } }
            return try await group.reduce(0, +)
        }
        #expect(recorded == 1)
        #expect(try await service.runDue() == 0)
    }

    @Test("An offer that was accepted, declined or withdrawn does not lapse")
    func answered() async throws {
        let site = try Site()
        let service = site.service
        let shop = try await TeaShop.open(on: service)
        let guest = try await customer(1, on: service)
        _ = try await offer(shop, to: guest.account, on: service)
        _ = try await service.submit(.withdrawTransfer(WithdrawTransfer(shop: shop.shop)), by: shop.owner)
        let declined = try await offer(shop, to: guest.account, on: service)
        _ = try await service.submit(.declineInvitation(DeclineInvitation(invitation: declined.invitation)), by: guest)
        let accepted = try await offer(shop, to: guest.account, on: service)
        _ = try await service.submit(.acceptInvitation(AcceptInvitation(invitation: accepted.invitation)), by: guest)
        site.clock.move(bySeconds: 8 * Self.day)
        #expect(try await service.runDue() == 0)
        #expect(try service.models.deadlines.due(through: service.clock.now(), limit: 10).isEmpty)
    }

    @Test("The lapse is a change of the invited account's things, and like the offer no change of the owner's")
    func changes() async throws {
        let site = try Site()
        let service = site.service
        let shop = try await TeaShop.open(on: service)
        let guest = try await customer(1, on: service)
        let expected = try await offer(shop, to: guest.account, on: service)
        let offered = service.log.head
        site.clock.move(bySeconds: 8 * Self.day)
        _ = try await service.runDue()
        let changed = try service.changes(of: guest.account, after: offered)
        #expect(changed.items == [OwnChanges.Item(thing: .invitation(expected.invitation), position: service.log.head)])
        #expect(try service.changes(of: shop.owner.account, after: Position(offered.rawValue - 1)).items.isEmpty)
    }
}
