import EventLog
import Foundation
import Loyalty
import LoyaltyCodec
import Patience
import ReadModels
import Testing

@testable import CommandService
@testable import Composition

/// Reminders and ends of cards happen exactly once each, even if the clock jumps, the process restarts or the models lag.
@Suite("Cards and the scheduler", .timeLimit(.minutes(15)))
struct CardTimeServiceTests {
    private static let day: Int64 = 86_400

    private func facts(_ types: [EventType], on service: GreenTea) throws -> [Fact] {
        let query = Query.items([QueryItem(types: types, tags: [])])
        return try service.log.events(matching: query, after: .start).map { try LoyaltyCodec.decode($0) }
    }

    private func shop(_ days: Int, on service: GreenTea) async throws -> TeaShop {
        try await .open(on: service, options: CampaignOptions(cardValidDays: days))
    }

    /// Opens a card of a new customer.
    private func card(_ number: Int, at shop: TeaShop, on service: GreenTea) async throws -> (Caller, CardID) {
        let guest = try await customer(number, on: service)
        let stamped = try await service.stamp(try await shop.code(on: service), by: guest)
        return (guest, try #require(stamped.cards.first?.id))
    }

    @Test("Two reminders of a card and its end are each recorded once, with their due times, while the clock is set far ahead and back")
    func clock() async throws {
        let site = try Site()
        let service = site.service
        let shop = try await shop(20, on: service)
        let opened = service.clock.now()
        let (guest, card) = try await card(1, at: shop, on: service)
        let end = try #require(try service.reading { try $0.card(card) }?.terms.expiresAt)
        var day: Int64 = 0
        for next: Int64 in [5, 7, 17, 18, 19, 20, 21, 60] {
            site.clock.move(bySeconds: (next - day) * Self.day)
            day = next
            for error: Int64 in [90, -3, 0] {
                site.clock.set(bySeconds: error * Self.day)
                _ = try await service.runDue()
                _ = try await service.runDue()
                site.clock.set(bySeconds: -error * Self.day)
            }
        }
        let facts = try facts([.cardReminded, .cardExpired], on: service)
        #expect(facts.map(\.actor) == [.system, .system, .system])
        #expect(facts.map(\.time) == [7, 18, 20].map { opened.advanced(bySeconds: $0 * Self.day) })
        let due = facts.map { fact -> Instant? in
            switch fact.event {
            case .cardReminded(let event): event.dueAt
            case .cardExpired(let event): event.dueAt
            default: nil
            }
        }
        #expect(due == [14, 2, 0].map { end.advanced(bySeconds: -$0 * Self.day) })
        #expect(end >= opened.advanced(bySeconds: 20 * Self.day))
        #expect(try service.models.cards.card(card)?.status == .expired)
        #expect(try service.models.notices.notices(of: guest.account).notices.map(\.notice.reminder?.daysLeft) == [2, 14])
    }

    @Test("A clock that jumps ahead for a moment ends no card and sends no reminder, but posts the notices that are due by it")
    func jump() async throws {
        let site = try Site()
        let shop = try await shop(20, on: site.service)
        let (_, card) = try await card(1, at: shop, on: site.service)
        let later = site.service.clock.now().advanced(bySeconds: 30 * Self.day)
        _ = try await site.service.postNotice(title: "Tea", text: "Come.", to: .all, publishAt: later, by: shop.owner)
        site.clock.set(bySeconds: 91 * Self.day)
        _ = try await site.service.runDue()
        #expect(try facts([.cardReminded, .cardExpired], on: site.service).isEmpty)
        #expect(try facts([.noticePosted], on: site.service).count == 1)
        site.clock.set(bySeconds: -91 * Self.day)
        try site.reopen()
        let now = site.service.clock.now()
        #expect(try site.service.reading { try $0.card(card) }?.status(at: now) == .collecting)
        site.clock.move(bySeconds: 20 * Self.day)
        #expect(try await site.service.runDue() == 1)
        #expect(try facts([.cardExpired], on: site.service).map(\.event.card) == [card])
    }

    @Test("Nobody is reminded of a card after its last day of redemption, and the models agree with the log about what is due")
    func redeemedNoMore() async throws {
        let site = try Site()
        let until = site.service.clock.now().advanced(bySeconds: 12 * Self.day)
        let options = CampaignOptions(redeemUntil: until, cardValidDays: 20)
        let shop = try await TeaShop.open(on: site.service, days: 10, options: options)
        let (_, card) = try await card(1, at: shop, on: site.service)
        for _ in 0..<22 {
            site.clock.move(bySeconds: Self.day)
            _ = try await site.service.runDue()
        }
        let facts = try facts([.cardReminded, .cardExpired], on: site.service)
        #expect(facts.map(\.event.card) == [card, card])
        guard case .cardReminded(let reminder)? = facts.first?.event, case .cardExpired? = facts.last?.event else {
            Issue.record("\(facts)")
            return
        }
        #expect(reminder.daysLeft == 14 && facts[0].time < until)
    }

    @Test("Nobody is reminded of a card whose closed shop hands out no rewards, and the card has no due entry until its end")
    func closedShop() async throws {
        let site = try Site()
        let shop = try await shop(20, on: site.service)
        let (_, card) = try await card(1, at: shop, on: site.service)
        let until = site.service.clock.now().advanced(bySeconds: 10 * Self.day)
        _ = try await site.service.closeShop(shop.shop, redeemUntil: until, reason: nil, by: shop.owner)
        for _ in 0..<19 {
            site.clock.move(bySeconds: Self.day)
            _ = try await site.service.runDue()
            #expect(try site.service.models.deadlines.due(through: site.service.clock.now(), limit: 10).isEmpty)
        }
        // Repeats the check after the model was deleted and rebuilt from the log.
        try site.close()
        try FileManager.default.removeItem(atPath: site.folder.path + "/derived")
        try site.open()
        #expect(try await site.service.runDue() == 0)
        site.clock.move(bySeconds: 2 * Self.day)
        _ = try await site.service.runDue()
        let facts = try facts([.cardReminded, .cardExpired], on: site.service)
        #expect(facts.map(\.event.card) == [card, card])
        guard case .cardReminded(let reminder)? = facts.first?.event, case .cardExpired? = facts.last?.event else {
            Issue.record("\(facts)")
            return
        }
        #expect(reminder.daysLeft == 14)
    }

    @Test("A card's next due entry is never a reminder after its last day of redemption")
    func nextDue() {
        let (opened, end) = (Instant(microseconds: 0), Instant(microseconds: 20 * Self.day * 1_000_000))
        func due(_ untilDay: Int64?, reminded: Int = 0) -> Int64 {
            let until = untilDay.map { Instant(microseconds: $0 * Self.day * 1_000_000) }
            var card = CardDeadline(expiresAt: end, redeemUntil: until, openedAt: opened, holder: 1, shop: 1, opened: 1)
            card.reminded = reminded
            return card.dueAt.microseconds / 1_000_000 / Self.day
        }
        #expect(due(nil) == 6 && due(19) == 6 && due(7) == 6 && due(6) == 20)
        #expect(due(nil, reminded: 14) == 18 && due(19, reminded: 14) == 18 && due(18, reminded: 14) == 20)
    }

    @Test("After a month without the service, no reminder is sent of ended cards, and each end is recorded once, even without derived data")
    func downtime() async throws {
        let site = try Site()
        let shop = try await shop(20, on: site.service)
        let (_, first) = try await card(1, at: shop, on: site.service)
        site.clock.move(bySeconds: 15 * Self.day)
        let (_, second) = try await card(2, at: shop, on: site.service)
        try site.close()
        try FileManager.default.removeItem(atPath: site.folder.path + "/derived")
        // The first card has ended, and the second ends in two days.
        site.clock.move(bySeconds: 18 * Self.day + 60)
        try site.open()
        _ = try await site.service.runDue()
        #expect(try facts([.cardExpired], on: site.service).map(\.event.card) == [first])
        let reminders = try facts([.cardReminded], on: site.service)
        #expect(reminders.map(\.event.card) == [second])
        guard case .cardReminded(let reminder) = reminders.first?.event else { return }
        #expect(reminder.daysLeft == 2)
        try site.reopen()
        _ = try await site.service.runDue()
        site.clock.move(bySeconds: 400 * Self.day)
        _ = try await site.service.runDue()
        #expect(try facts([.cardExpired], on: site.service).map(\.event.card) == [first, second])
        #expect(try facts([.cardReminded], on: site.service).count == 1)
    }

    @Test("A model that shows a card's end once more after a crash causes no second event")
    func twice() async throws {
        let site = try Site()
        try await offerAtOnce(on: site.service, site.clock)
        #expect(try await site.service.runDue() == 0)
        try site.reopen()
        #expect(try await site.service.runDue() == 0)
        #expect(try facts([.cardExpired], on: site.service).count == 1)
    }

    /// Submits the command that records a card's end 64 times concurrently, like a scheduler whose models lag.
    private func offerAtOnce(on service: GreenTea, _ clock: HandClock) async throws {
        let shop = try await shop(1, on: service)
        let (_, card) = try await card(1, at: shop, on: service)
        clock.move(bySeconds: Self.day)
        let recorded = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<64 {
                group.addTask {
                    let command = Command.ageCard(AgeCard(card: card, notice: NoticeID(UInt128(number) + 1)))
                    return try await service.submit(command, by: .system).facts.count
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(recorded == 1)
    }

    @Test("Sixty-four stamps at once at the end of a card record it once and open one card")
    func race() async throws {
        let site = try Site()
        let service = site.service
        let shop = try await shop(1, on: service)
        let (guest, first) = try await card(1, at: shop, on: service)
        site.clock.move(bySeconds: Self.day)
        var codes: [TypedCode] = []
        for _ in 0..<8 { codes.append(try await shop.code(on: service)) }
        async let due = service.runDue()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<64 {
                let code = codes[number % codes.count]
                group.addTask { _ = try? await service.stamp(code, by: guest) }
            }
            try await group.waitForAll()
        }
        _ = try await due
        _ = try await service.runDue()
        #expect(try facts([.cardExpired], on: service).map(\.event.card) == [first])
        let opened = try facts([.cardOpened], on: service).map(\.event.card)
        #expect(opened.count == 2)
        let second = try #require(opened.last ?? nil)
        #expect(try service.reading { try $0.card(second) }?.stamps == 8)
    }

    @Test("An answer shows the card that was stamped, not the card that ended, and a retry gets the same answer")
    func answer() async throws {
        let site = try Site()
        let service = site.service
        let shop = try await shop(1, on: service)
        let (guest, first) = try await card(1, at: shop, on: service)
        site.clock.move(bySeconds: Self.day)
        let code = try await shop.code(on: service)
        let caller = Caller(account: guest.account, mark: RequestMark(request: 77, digest: 78))
        let stamped = try await service.stamp(code, by: caller)
        #expect(stamped.facts.count == 3 && stamped.cards.count == 1)
        #expect(stamped.cards.first?.id != first && stamped.cards.first?.stamps == 1)
        #expect(try await service.stamp(code, by: caller).cards == stamped.cards)
    }

    @Test("No end or reminder of an erased holder's cards is recorded, and a holder who muted the shop gets no reminders")
    func erasedAndMuted() async throws {
        let site = try Site()
        let service = site.service
        let shop = try await shop(20, on: service)
        let (erased, _) = try await card(1, at: shop, on: service)
        let (muted, kept) = try await card(2, at: shop, on: service)
        _ = try await service.submit(.eraseAccount(EraseAccount()), by: erased)
        _ = try await service.submit(.muteShop(MuteShop(shop: shop.shop)), by: muted)
        site.clock.move(bySeconds: 6 * Self.day)
        #expect(try await service.runDue() == 1)
        #expect(try service.models.notices.notices(of: muted.account).notices.isEmpty)
        site.clock.move(bySeconds: 20 * Self.day)
        #expect(try await service.runDue() == 1)
        #expect(try facts([.cardExpired], on: service).map(\.event.card) == [kept])
        #expect(try service.models.deadlines.due(through: service.clock.now(), limit: 10).isEmpty)
    }

    @Test("Many cards that end in one night end in pages of bounded size, and stamps are accepted meanwhile")
    func manyAtOnce() async throws {
        let site = try Site()
        let service = site.service
        let shop = try await shop(1, on: service)
        let count = 5 * Limits.dueCommandsAtOnce + 3
        for number in 0..<count { _ = try await card(number + 10, at: shop, on: service) }
        let guest = try await customer(1, on: service)
        site.clock.move(bySeconds: Self.day)
        let code = try await shop.code(on: service)
        let page = try service.models.deadlines.due(through: service.clock.now(), limit: Limits.dueCommandsAtOnce)
        #expect(page.count <= Limits.dueCommandsAtOnce)
        async let recorded = service.runDue()
        #expect(try await service.stamp(code, by: guest).cards.first?.stamps == 1)
        _ = try await recorded
        _ = try await service.runDue()
        let ended = try facts([.cardExpired], on: service).compactMap(\.event.card)
        #expect(ended.count == count && Set(ended).count == count)
    }
}
