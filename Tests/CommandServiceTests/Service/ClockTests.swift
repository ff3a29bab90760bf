import CommandService
import Composition
import EventLog
import Loyalty
import Seeds
import Testing

/// Times come from the injected clock and never go back while the process runs.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct ClockTests {
    @Test("The log has the times of the injected clock")
    func injectedTimes() async throws {
        let site = try Site()
        let shop = try await TeaShop.open(on: site.service)
        site.clock.move(bySeconds: 77)
        let issued = try await site.service.issueCode(of: shop.campaign, stamps: 1, validFor: 60, by: shop.owner)
        let then = HandClock.start.advanced(bySeconds: 77)
        #expect(issued.facts.first?.time == then)
        #expect(try issuing(issued).expiresAt == then.advanced(bySeconds: 60))
        #expect(try site.service.log.event(at: issued.position)?.event.time == Timestamp(microseconds: then.microseconds))
        #expect(site.service.log.created == Timestamp(microseconds: HandClock.start.microseconds))
    }

    @Test("A clock that is set back revives no expired code")
    func expiredCode() async throws {
        let site = try Site()
        let shop = try await TeaShop.open(on: site.service)
        let guest = try await customer(1, on: site.service)
        let code = try await shop.code(on: site.service, validFor: 60)
        site.clock.move(bySeconds: 61)
        await #expect(throws: ServiceError.rejected(.codeNotValid)) { try await site.service.stamp(code, by: guest) }
        site.clock.move(bySeconds: -30)
        await #expect(throws: ServiceError.rejected(.codeNotValid)) { try await site.service.stamp(code, by: guest) }
    }

    @Test("The times in the log do not go back when the clock does")
    func logTimes() async throws {
        let site = try Site()
        let shop = try await TeaShop.open(on: site.service)
        for step in [5, -100, 3, 200, -50, 0, 51] as [Int64] {
            site.clock.move(bySeconds: step)
            _ = try await shop.code(on: site.service)
        }
        #expect(try times(in: site.service) == times(in: site.service).sorted())
    }

    @Test("Service time does not go back across a restart, even if the clock was set back meanwhile")
    func acrossRestart() async throws {
        let site = try Site()
        let shop = try await TeaShop.open(on: site.service)
        _ = try await shop.code(on: site.service)
        site.clock.move(bySeconds: -30)
        try site.reopen()
        let issued = try await site.service.issueCode(of: shop.campaign, stamps: 1, validFor: 60, by: shop.owner)
        #expect(issued.facts.first?.time == HandClock.start)
    }

    /// The machine's clock is 50 seconds fast and is corrected before a restart. The newest event is then one of the scheduler, which
    /// records a lapse with the time that has passed since the start.
    @Test("After a restart, time continues from the latest event, even if an event with an earlier time was added after it")
    func anEarlierTimeAtTheHeadHidesNoLaterOne() async throws {
        let site = try Site()
        let shop = try await TeaShop.open(on: site.service)
        let guest = try await customer(1, on: site.service)
        _ = try await site.service.offerTransfer(of: shop.shop, to: guest.account, by: shop.owner)
        site.clock.move(bySeconds: 8 * 86_400)
        let correct = site.clock.now()
        site.clock.set(bySeconds: 50)
        let latest = try await issuedAt(shop, on: site)
        #expect(latest == correct.advanced(bySeconds: 50))
        #expect(try await site.service.runDue() == 1)
        #expect(try times(in: site.service).last == Timestamp(microseconds: correct.microseconds))
        site.clock.set(bySeconds: -50)
        try site.reopen()
        #expect(try await issuedAt(shop, on: site) == latest)
    }

    @Test("Service time runs at nine tenths after a fast clock is corrected, until it is right again")
    func afterError() async throws {
        let site = try Site()
        let shop = try await TeaShop.open(on: site.service)
        let guest = try await customer(1, on: site.service)
        site.clock.set(bySeconds: 3_600)
        #expect(try await issuedAt(shop, on: site) == HandClock.start.advanced(bySeconds: 3_600))
        site.clock.set(bySeconds: -3_600)
        #expect(try await issuedAt(shop, on: site) == HandClock.start.advanced(bySeconds: 3_600))
        site.clock.move(bySeconds: 100)
        #expect(try await issuedAt(shop, on: site) == HandClock.start.advanced(bySeconds: 3_690))
        let code = try await shop.code(on: site.service, validFor: 60)
        site.clock.move(bySeconds: 70)
        await #expect(throws: ServiceError.rejected(.codeNotValid)) { try await site.service.stamp(code, by: guest) }
        site.clock.move(bySeconds: 36_000 - 170)
        #expect(try await issuedAt(shop, on: site) == HandClock.start.advanced(bySeconds: 36_000))
        site.clock.move(bySeconds: 10)
        #expect(try await issuedAt(shop, on: site) == HandClock.start.advanced(bySeconds: 36_010))
        #expect(try times(in: site.service) == times(in: site.service).sorted())
    }

    /// The clock is five hours fast at the start and is corrected while the service runs. Service time then runs at nine tenths, so
    /// a lifetime grows by a ninth at most, and a campaign ends early but never late. A restart adopts the correct time at once,
    /// and codes issued in the skipped hours become invalid.
    @Test("A clock that was hours fast at the start extends a code's validity by at most a ninth, and never extends a campaign")
    func hoursAheadAtTheStart() async throws {
        let site = try Site()
        try site.close()
        let lead: Int64 = 5 * 3_600
        site.clock.set(bySeconds: lead)
        try site.open()
        let shop = try await TeaShop.open(on: site.service)
        let guest = try await customer(1, on: site.service)
        let (first, second) = (try await shop.code(on: site.service, validFor: 900), try await shop.code(on: site.service, validFor: 900))
        site.clock.set(bySeconds: -lead)
        site.clock.move(bySeconds: 999)
        _ = try await site.service.stamp(first, by: guest)
        site.clock.move(bySeconds: 1)
        await #expect(throws: ServiceError.rejected(.codeNotValid)) { try await site.service.stamp(second, by: guest) }
        // Service time is never behind the machine's clock. So a code, session or campaign is no longer valid once the machine's clock has
        // reached the end of its validity.
        #expect(site.service.clock.now() > site.clock.now())
        let late = try await shop.code(on: site.service, validFor: 86_400)
        try site.reopen()
        #expect(site.service.clock.now() == site.clock.now())
        await #expect(throws: ServiceError.rejected(.codeNotValid)) { try await site.service.stamp(late, by: guest) }
    }

    @Test("Service time never goes back and always runs at nine tenths or more, however the clock is set")
    func anyClock() throws {
        let site = try Site()
        var random = SeededRandom(seed: Seed.value)
        var last = site.service.clock.now()
        for _ in 0..<2_000 {
            if Int.random(in: 0..<4, using: &random) == 0 { site.clock.set(bySeconds: Int64.random(in: -5_000...5_000, using: &random)) }
            let passed = Int64.random(in: 0...100, using: &random)
            site.clock.move(bySeconds: passed)
            let now = site.service.clock.now()
            try #require(now.microseconds >= last.microseconds + passed * 900_000)
            try #require(now >= site.clock.now())
            last = now
        }
    }

    @Test("A clock that was raised to another writer's time continues from it, and runs at nine tenths until the machine's clock is there")
    func raised() {
        let hands = HandClock()
        let clock = ForwardClock(hands, notBefore: hands.now())
        let raised = HandClock.start.advanced(bySeconds: 60)
        clock.raise(to: raised)
        #expect(clock.now() == raised)
        #expect(clock.leadMicroseconds == 60_000_000)
        hands.move(bySeconds: 100)
        #expect(clock.now() == HandClock.start.advanced(bySeconds: 150))
        clock.raise(to: raised)
        #expect(clock.now() == HandClock.start.advanced(bySeconds: 150), "it does not go back")
        hands.move(bySeconds: 500)
        #expect(clock.now() == hands.now() && clock.leadMicroseconds == 0)
        clock.raise(to: hands.now())
        hands.move(bySeconds: 10)
        #expect(clock.now() == hands.now())
    }

    @Test("A raised clock ends nothing: the time that has passed counts from the start of the process")
    func passedWhenRaised() {
        let hands = HandClock()
        let clock = ForwardClock(hands, notBefore: hands.now())
        clock.raise(to: HandClock.start.advanced(bySeconds: 30 * 86_400))
        hands.move(bySeconds: 100)
        #expect(clock.passed() == HandClock.start.advanced(bySeconds: 100))
        #expect(clock.gainMicroseconds == 0, "the machine's own clock was not set")
    }

    @Test("However the clock is set and raised, service time never goes back")
    func raisedAtRandom() throws {
        let (hands, random) = (HandClock(), SeededRandom.announced("raisedAtRandom"))
        var draws = random
        let clock = ForwardClock(hands, notBefore: hands.now())
        var last = clock.now()
        for _ in 0..<2_000 {
            if draws.oneIn(4) { hands.set(bySeconds: Int64(draws.int(-5_000...5_000))) }
            if draws.oneIn(4) { clock.raise(to: last.advanced(bySeconds: Int64(draws.int(-1_000...1_000)))) }
            let passed = Int64(draws.int(0...100))
            hands.move(bySeconds: passed)
            let now = clock.now()
            try #require(now.microseconds >= last.microseconds + passed * 900_000 && now >= hands.now(), "seed \(random.seed)")
            last = now
        }
    }

    @Test("The system's clock shows a plausible time, and its steady clock does not go back")
    func systemClock() {
        let clock = SystemClock()
        let (time, steady) = (clock.now(), clock.steady())
        #expect(time > HandClock.start && steady.microseconds > 0)
        #expect(clock.steady() >= steady)
    }

    /// By the time of day, a stream would send no heartbeats after the clock was set back.
    @Test("A stream sends heartbeats and ends by elapsed time, not by the time of day")
    func elapsedTime() async throws {
        let site = try Site()
        let guest = try await customer(1, on: site.service)
        site.clock.set(bySeconds: 86_400)
        let end = site.service.clock.now().advanced(bySeconds: 60)
        let stream = try site.service.live.open(for: guest.account, session: SessionID(1), until: end)
        site.clock.set(bySeconds: -86_400)
        for _ in 0..<3 {
            site.clock.move(bySeconds: 15)
            site.service.live.look()
            #expect(try await stream.next() == .beat)
        }
        site.clock.move(bySeconds: 15)
        site.service.live.look()
        #expect(try await stream.next() == .ended(.expired))
    }

    private func issuedAt(_ shop: TeaShop, on site: Site) async throws -> Instant? {
        try await site.service.issueCode(of: shop.campaign, stamps: 1, validFor: 60, by: shop.owner).facts.first?.time
    }

    @Test("An event with a time far in the future does not move the service's clock at a start")
    func farFuture() async throws {
        let site = try Site()
        let shop = try await TeaShop.open(on: site.service)
        let future = HandClock.start.advanced(bySeconds: 86_400)
        _ = try await site.service.issueCode(of: shop.campaign, stamps: 1, validFor: 60, by: shop.owner, at: future)
        try site.reopen()
        let issued = try await site.service.issueCode(of: shop.campaign, stamps: 1, validFor: 60, by: shop.owner)
        #expect(issued.facts.first?.time == HandClock.start)
    }

    @Test("An imported event keeps its own time and does not move the service's time")
    func ownTimes() async throws {
        let site = try Site()
        let years = HandClock.start.advanced(bySeconds: -3 * 365 * 86_400)
        let account = try await site.service.register(identity: "till:17", at: years)
        #expect(account.registeredAt == years)
        let shop = try await TeaShop.open(on: site.service)
        let at = HandClock.start.advanced(bySeconds: 5_000)
        let issued = try await site.service.issueCode(of: shop.campaign, stamps: 1, validFor: 60, by: shop.owner, at: at)
        let code = site.service.stampCode(of: try issuing(issued))
        let stamped = try await site.service.stamp(code, by: Caller(account: account.id), at: at)
        #expect(stamped.facts.allSatisfy { $0.time == at })
        let now = try await site.service.issueCode(of: shop.campaign, stamps: 1, validFor: 60, by: shop.owner)
        #expect(now.facts.first?.time == HandClock.start, "an import does not move the service's own time")
    }

    @Test("A redemption and its preview are decided alike at the same time, even after the clock was set back")
    func previewAgrees() async throws {
        let site = try Site()
        let shop = try await TeaShop.open(on: site.service, goal: 1)
        let guest = try await customer(1, on: site.service)
        let card = try #require(try await site.service.stamp(try await shop.code(on: site.service), by: guest).cards.first)
        let code = try await shop.redemptionCode(of: card.id, by: guest, on: site.service)
        #expect(try site.service.previewRedemption(code, by: shop.owner).1 == site.service.past.card(card.id))
        site.clock.move(bySeconds: 301)
        await #expect(throws: ServiceError.rejected(.redemptionNotValid)) { try await site.service.redeem(code, by: shop.owner) }
        site.clock.move(bySeconds: -200)
        #expect(throws: ServiceError.rejected(.redemptionNotValid)) { try site.service.previewRedemption(code, by: shop.owner) }
        await #expect(throws: ServiceError.rejected(.redemptionNotValid)) { try await site.service.redeem(code, by: shop.owner) }
    }

    private func times(in service: GreenTea) throws -> [Timestamp] {
        try (1...service.log.head.rawValue).compactMap { try service.log.event(at: Position($0))?.event.time }
    }
}
