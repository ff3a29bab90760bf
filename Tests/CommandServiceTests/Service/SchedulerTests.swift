import EventLog
import Foundation
import Loyalty
import LoyaltyCodec
import Patience
import ReadModels
import Synchronization
import Testing

@testable import CommandService
@testable import Composition

/// Each scheduled action happens exactly once, even if the clock jumps, the process restarts or the models lag.
@Suite("The scheduler", .timeLimit(.minutes(15)))
struct SchedulerTests {
    private static let day: Int64 = 86_400

    private func schedule(_ count: Int, in seconds: Int64, on service: GreenTea, by author: Caller) async throws {
        for number in 0..<count {
            let at = service.clock.now().advanced(bySeconds: seconds)
            _ = try await service.postNotice(title: "Tea \(number)", text: "Come.", to: .all, publishAt: at, by: author)
        }
    }

    /// Returns the notices that have appeared, with their positions and due times.
    private func appeared(on service: GreenTea) throws -> [Fact] {
        let query = Query.items([QueryItem(types: [.noticePosted], tags: [])])
        return try service.log.events(matching: query, after: .start).map { try LoyaltyCodec.decode($0) }
    }

    @Test("Each notice appears once, although the clock is set forward, back and forward again")
    func clock() async throws {
        let site = try Site()
        let service = site.service
        let author = try await customer(1, on: service)
        try await schedule(3, in: Self.day, on: service, by: author)
        let due = service.clock.now().advanced(bySeconds: Self.day)
        #expect(try await service.runDue() == 0)
        site.clock.set(bySeconds: Self.day)
        _ = try await service.runDue()
        site.clock.set(bySeconds: -2 * Self.day)
        _ = try await service.runDue()
        site.clock.set(bySeconds: 40 * Self.day)
        _ = try await service.runDue()
        let facts = try appeared(on: service)
        #expect(facts.count == 3)
        for fact in facts {
            guard case .noticePosted(let event) = fact.event else { continue }
            #expect(event.dueAt == due && fact.actor == .system && fact.time >= due)
        }
    }

    @Test("After a month without the service each notice appears once, even without derived data")
    func downtime() async throws {
        let site = try Site()
        let author = try await customer(1, on: site.service)
        try await schedule(2, in: Self.day, on: site.service, by: author)
        try await schedule(1, in: 50 * Self.day, on: site.service, by: author)
        try site.close()
        try FileManager.default.removeItem(atPath: site.folder.path + "/derived")
        site.clock.move(bySeconds: 30 * Self.day)
        try site.open()
        _ = try await site.service.runDue()
        #expect(try appeared(on: site.service).count == 2)
        try site.reopen()
        _ = try await site.service.runDue()
        #expect(try appeared(on: site.service).count == 2)
        site.clock.move(bySeconds: 21 * Self.day)
        _ = try await site.service.runDue()
        #expect(try appeared(on: site.service).count == 3)
    }

    @Test("Notices of more than one page that are due at once all appear, and stamps are accepted meanwhile")
    func manyAtOnce() async throws {
        let site = try Site()
        let service = site.service
        let shop = try await TeaShop.open(on: service)
        let guest = try await customer(2, on: service)
        let author = try await customer(1, on: service)
        try await schedule(3 * Limits.dueCommandsAtOnce + 1, in: Self.day, on: service, by: author)
        site.clock.move(bySeconds: Self.day)
        let code = try await shop.code(on: service)
        async let recorded = service.runDue()
        let stamped = try await service.stamp(code, by: guest)
        #expect(stamped.cards.first?.stamps == 1)
        _ = try await recorded
        _ = try await service.runDue()
        #expect(try appeared(on: service).count == 3 * Limits.dueCommandsAtOnce + 1)
    }

    /// The commands that a scheduler has offered.
    private final class Offers: Sendable {
        let commands = Mutex<[Command]>([])
        let isBroken = Atomic(true)

        var count: Int { commands.withLock { $0.count } }
    }

    @Test("While the clock is ahead, cards wait, and a notice behind them is found in a few passes of bounded size")
    func behindCards() async throws {
        let site = try Site()
        let shop = try await TeaShop.open(on: site.service, options: CampaignOptions(cardValidDays: 20))
        for number in 10..<20 {
            let guest = try await customer(number, on: site.service)
            _ = try await site.service.stamp(try await shop.code(on: site.service), by: guest)
        }
        try await schedule(1, in: 30 * Self.day, on: site.service, by: shop.owner)
        #expect(await site.service.models.reached(site.service.log.head, timeoutSeconds: 600))
        let offers = Offers()
        let clock = ForwardClock(site.clock, notBefore: site.clock.now())
        let scheduler = Scheduler(
            site.service.models, clock: clock, searchedAtOnce: 4, newNotice: { NoticeID(1) },
            offer: { submission, resume in
                offers.commands.withLock { $0.append(submission.command) }
                resume(.success(.failure(.stopping)))
            })
        site.clock.set(bySeconds: 91 * Self.day)
        var counts: [Int] = []
        for _ in 0..<3 {
            try scheduler.pass()
            counts.append(offers.count)
        }
        #expect(counts == [0, 0, 1])
        guard case .publishNotice = offers.commands.withLock({ $0.first }) else {
            Issue.record("a command of another kind was offered")
            return
        }
    }

    @Test("An entry that fails delays no other, and is named until a pass without a failure")
    func failing() async throws {
        let site = try Site()
        let author = try await customer(1, on: site.service)
        try await schedule(3, in: Self.day, on: site.service, by: author)
        #expect(await site.service.models.reached(site.service.log.head, timeoutSeconds: 600))
        let offers = Offers()
        let scheduler = Scheduler(
            site.service.models, clock: ForwardClock(site.clock, notBefore: site.clock.now()), newNotice: { NoticeID(1) },
            offer: { submission, resume in
                let isFirst = offers.commands.withLock { commands in
                    commands.append(submission.command)
                    return commands.count % 3 == 1
                }
                let fails = isFirst && offers.isBroken.load(ordering: .relaxed)
                resume(.success(.failure(fails ? .failed("no page 7") : .rejected(.notFound))))
            })
        // A notice due at the very time of a pass is offered twice, and the second offer is rejected.
        site.clock.move(bySeconds: Self.day + 1)
        for pass in 1...2 {
            #expect(try scheduler.pass() == 0)
            #expect(offers.count == 3 * pass)
            #expect(scheduler.failure?.reason.contains("no page 7") == true)
        }
        offers.isBroken.store(false, ordering: .relaxed)
        try scheduler.pass()
        #expect(offers.count == 9 && scheduler.failure == nil)
    }

    @Test("After a fast clock was corrected, a notice that is due in five seconds does not wait until the clock has caught up")
    func corrected() async throws {
        let site = try Site()
        let author = try await customer(1, on: site.service)
        site.clock.set(bySeconds: 8 * 3_600)
        _ = site.service.clock.now()
        site.clock.set(bySeconds: -8 * 3_600)
        try await schedule(1, in: 5, on: site.service, by: author)
        site.clock.move(bySeconds: 4)
        #expect(try await site.service.runDue() == 0)
        site.clock.move(bySeconds: 2)
        #expect(try await site.service.runDue() == 1)
    }

    @Test("The background thread makes due notices appear without any request")
    func background() async throws {
        let site = try Site(duePeriodSeconds: 0.01)
        let author = try await customer(1, on: site.service)
        try await schedule(1, in: Self.day, on: site.service, by: author)
        site.clock.move(bySeconds: Self.day)
        try await eventually("the notice appears") { try !appeared(on: site.service).isEmpty }
        #expect(try appeared(on: site.service).count == 1)
        #expect(site.service.schedulerSilentSeconds > 0, "readiness sees the thread")
    }
}
