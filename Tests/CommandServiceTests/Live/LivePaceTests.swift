import EventLog
import Loyalty
import Patience
import ReadModels
import Synchronization
import Testing

@testable import CommandService
@testable import Composition

/// The rate at which the streams of one account read events from the log.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct LivePaceTests {
    private static let burst = Int(CommandService.Limits.liveReadEventsBurst)
    private static let perSecond = Int(CommandService.Limits.liveReadEventsPerSecond)

    @Test("An account that has used up its burst may read again when the rate allows it")
    func rate() {
        let (account, start) = (AccountID(1), Instant(microseconds: 5))
        var pace = LivePace()
        func allows(_ account: AccountID, after seconds: Int64) -> Bool {
            pace.allowsRead(by: account, at: start.advanced(bySeconds: seconds))
        }
        pace.count(Self.burst, readBy: account, at: start)
        #expect(allows(account, after: 0), "the whole burst is available at once")
        pace.count(2 * Self.perSecond, readBy: account, at: start)
        #expect(!allows(account, after: 1) && allows(account, after: 2))
        #expect(allows(AccountID(2), after: 0), "another account has a rate of its own")
        let later: Int64 = 1_000_000
        pace.count(Self.burst + 1, readBy: account, at: start.advanced(bySeconds: later))
        #expect(!allows(account, after: later) && allows(account, after: later + 1), "a long rest makes no more than a burst available")
    }

    @Test("All events that a stream reads from the log are counted, those at its beginning too")
    func counted() async throws {
        let site = try Site()
        let service = site.service
        let shop = try await TeaShop.open(on: service)
        let guest = try await customer(1, on: service)
        for _ in 0..<3 { _ = try await service.stamp(try await shop.code(on: service), by: guest) }
        let expected = shown(to: guest.account, of: try facts(of: service))
        #expect(expected.count > 3)
        let hub = service.live
        let stream = try hub.open(for: guest.account, after: .start)
        #expect(try await collect(expected.count, from: stream) == expected)
        // The clock stands still. With the events that the stream has shown, exactly the burst is used up. The stream has also read the
        // account's registration, to know which notices it may see.
        let (now, rest) = (hub.now, Self.burst - expected.count)
        let isAllowed = hub.state.withLock { state in
            state.pace.count(rest, readBy: guest.account, at: now)
            return state.pace.allowsRead(by: guest.account, at: now)
        }
        #expect(!isAllowed)
    }

    @Test("A stream that may not read the log yet sends heartbeats, and later gives exactly the events that the account may see")
    func waits() async throws {
        let site = try Site()
        let service = site.service
        let shop = try await TeaShop.open(on: service)
        let guest = try await customer(1, on: service)
        _ = try await service.stamp(try await shop.code(on: service), by: guest)
        Self.use(20, by: guest.account, in: service.live)
        let stream = try service.live.open(for: guest.account, after: .start)
        let waiting = Task { try await stream.next() }
        try await eventually("the stream waits") { stream.isIdle }
        // The first notice is posted while the guest has muted the shop, and the second one after that.
        _ = try await service.submit(.muteShop(MuteShop(shop: shop.shop)), by: guest)
        let hidden = try await service.postNotice(title: "First", text: "!", to: .shop(shop.shop), by: shop.owner).facts.map(\.position)
        _ = try await service.submit(.unmuteShop(UnmuteShop(shop: shop.shop)), by: guest)
        _ = try await service.postNotice(title: "Second", text: "!", to: .shop(shop.shop), by: shop.owner)
        site.clock.move(bySeconds: 15)
        service.live.look()
        #expect(try await waiting.valueInTime() == .beat)
        let expected = shown(to: guest.account, of: try facts(of: service)).filter { !hidden.contains($0.position) }
        let reading = Task { try await collect(expected.count, from: stream) }
        try await eventually("the stream waits again") { stream.isIdle }
        // The stream may read again after 20 s in all. The events that it then reads to begin need a part of one second more.
        site.clock.move(bySeconds: 6)
        service.live.look()
        #expect(try await reading.valueInTime() == expected)
    }

    @Test("A stream that may not read the log yet ends at once with its session, or with the service")
    func ends() async throws {
        let site = try Site()
        let service = site.service
        let shop = try await TeaShop.open(on: service)
        let signedIn = try await service.signIn(phone(1))
        let guest = Caller(account: signedIn.account.id)
        _ = try await service.stamp(try await shop.code(on: service), by: guest)
        Self.use(20, by: guest.account, in: service.live)
        let end = HandClock.start.advanced(bySeconds: 900)
        let own = try service.live.open(for: guest.account, session: signedIn.session, until: end, after: .start)
        let other = try service.live.open(for: guest.account, after: .start)
        let first = Task { try await own.next() }
        let second = Task { try await other.next() }
        try await eventually("both streams wait") { own.isIdle && other.isIdle }
        _ = try await service.submit(.endSession(EndSession(session: signedIn.session)), by: guest)
        #expect(try await first.valueInTime() == .ended(.signedOut))
        service.live.stop()
        #expect(try await second.valueInTime() == .ended(.stopping))
    }

    @Test("Events that were read while the stream ended are not given")
    func endedMeanwhile() async throws {
        let site = try Site()
        let service = site.service
        let shop = try await TeaShop.open(on: service)
        let guest = try await customer(1, on: service)
        _ = try await service.stamp(try await shop.code(on: service), by: guest)
        let (hub, head) = (service.live, service.log.head)
        let interest = try await LiveInterest.load(of: guest.account, NoticePlaces(), from: service.log, after: .start, through: head)
        let stream = try hub.open(for: guest.account, after: .start)
        let number = hub.state.withLock { $0.lastNumber }
        #expect(try !hub.read(interest, .start, head, number).isEmpty)
        stream.end(.expired)
        #expect(try hub.read(interest, .start, head, number).isEmpty)
        #expect(try await stream.next() == .ended(.expired))
    }

    /// Uses up an account's burst, and as many further events as become available in some seconds.
    private static func use(_ seconds: Int, by account: AccountID, in hub: LiveHub) {
        let now = hub.now
        hub.state.withLock { $0.pace.count(burst + seconds * perSecond, readBy: account, at: now) }
    }
}
