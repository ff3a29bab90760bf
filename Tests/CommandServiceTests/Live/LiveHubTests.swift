import CommandService
import Composition
import EventLog
import Loyalty
import Patience
import Testing

/// Live streams: the streams that an event wakes, the streams that are refused, and the ways in which a stream ends.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct LiveHubTests {
    @Test("2,000 idle streams buffer nothing, and each gets the events of its account")
    func idleStreams() async throws {
        let site = try Site()
        let service = site.service
        let shop = try await TeaShop.open(on: service)
        let guests = try await concurrently(249) { try await customer($0 + 1, on: service) }
        let accounts = [shop.owner.account] + guests.map(\.account)
        let streams = try accounts.flatMap { account in try (0..<8).map { _ in try service.live.open(for: account) } }
        #expect(service.live.count == 2_000)
        let heard = Task { try await concurrently(streams.count) { try await collect(untilNoticeFrom: streams[$0]) } }
        try await eventually("all readers wait") { streams.allSatisfy(\.isIdle) }
        #expect(service.live.buffered == 0)

        let code = try await shop.code(on: service)
        _ = try await service.stamp(code, by: guests[0])
        _ = try await service.postNotice(title: "All", text: "!", to: .all, by: guests[1])
        let counts = try await heard.valueInTime().map(\.count)
        // Each of the owner's 8 streams shows that the code was issued and used. Each of the guest's 8 streams shows that the card was
        // opened and stamped. All 2,000 streams show the notice.
        #expect(counts == Array(repeating: 3, count: 8) + Array(repeating: 3, count: 8) + Array(repeating: 1, count: 1_984))
        #expect(service.live.buffered == 0)
    }

    @Test("The number of an account's streams is limited, and a released stream makes room")
    func theStreamsOfAnAccountAreLimited() async throws {
        let site = try Site()
        let hub = site.service.live
        let guest = try await customer(1, on: site.service)
        var streams = try (0..<CommandService.Limits.liveStreamsPerAccountMax).map { _ in try hub.open(for: guest.account) }
        #expect(throws: LiveRefusal.tooManyOfAccount) { try hub.open(for: guest.account) }
        #expect(hub.refused == 1)
        streams.removeLast()
        streams.append(try hub.open(for: guest.account))
        #expect(hub.count == streams.count)
        streams.removeAll()
        #expect(hub.count == 0)
    }

    @Test("A stream after a position beyond the log's head is refused")
    func futurePosition() async throws {
        let site = try Site()
        let guest = try await customer(1, on: site.service)
        let beyond = site.service.log.head.next
        #expect(throws: LiveRefusal.beyondHead) { try site.service.live.open(for: guest.account, after: beyond) }
    }

    @Test("A quiet stream sends a heartbeat every 15 seconds, and ends when it expires")
    func heartbeats() async throws {
        let site = try Site()
        let service = site.service
        let guest = try await customer(1, on: service)
        let stream = try service.live.open(
            for: guest.account, session: SessionID(1), until: HandClock.start.advanced(bySeconds: 40))
        for _ in 0..<2 {
            let waiting = Task { try await stream.next() }
            try await eventually("the reader waits") { stream.isIdle }
            site.clock.move(bySeconds: 14)
            service.live.look()
            #expect(stream.isIdle)
            site.clock.move(bySeconds: 1)
            service.live.look()
            #expect(try await waiting.valueInTime() == .beat)
        }
        site.clock.move(bySeconds: 10)
        service.live.look()
        #expect(try await stream.next() == .ended(.expired))
        #expect(try await stream.next() == .ended(.expired))
    }

    @Test("A stream ends when its session is signed out, and the account's other streams go on")
    func signedOutSession() async throws {
        let site = try Site()
        let service = site.service
        let signedIn = try await service.signIn(phone(1))
        let caller = Caller(account: signedIn.account.id)
        let own = try service.live.open(for: caller.account, session: signedIn.session, until: HandClock.start.advanced(bySeconds: 900))
        let other = try service.live.open(for: caller.account)
        let ending = Task { try await own.next() }
        _ = try await service.submit(.endSession(EndSession(session: signedIn.session)), by: caller)
        #expect(try await ending.valueInTime() == .ended(.signedOut))
        #expect(service.live.count == 2)
        other.end(.gone)
        #expect(try await other.next() == .ended(.gone))
    }

    /// No event after the start of the stream reports the end of the session.
    @Test("A stream that is opened for an already ended session ends as signed out")
    func endedSession() async throws {
        let site = try Site()
        let service = site.service
        let signedIn = try await service.signIn(phone(1))
        let caller = Caller(account: signedIn.account.id)
        _ = try await service.submit(.endSession(EndSession(session: signedIn.session)), by: caller)
        let other = try service.live.open(for: caller.account)
        let late = try service.live.open(for: caller.account, session: signedIn.session, until: HandClock.start.advanced(bySeconds: 900))
        site.clock.move(bySeconds: 20)
        service.live.look()
        #expect(try await late.next() == .ended(.signedOut))
        #expect(try await other.next() == .beat)
    }

    @Test("A stream that is opened while its session is signed out ends, in whatever order both are handled")
    func besideSignOut() async throws {
        let site = try Site()
        let service = site.service
        for _ in 0..<20 {
            let signedIn = try await service.signIn(phone(1))
            let caller = Caller(account: signedIn.account.id)
            async let ended = service.submit(.endSession(EndSession(session: signedIn.session)), by: caller)
            let stream = try service.live.open(
                for: caller.account, session: signedIn.session, until: HandClock.start.advanced(bySeconds: 900))
            _ = try await ended
            #expect(try await stream.next() == .ended(.signedOut))
        }
    }

    @Test("A stream ends when its reader is cancelled or the service is closed")
    func cancelOrClose() async throws {
        let site = try Site()
        let guest = try await customer(1, on: site.service)
        let stream = try site.service.live.open(for: guest.account)
        let waiting = Task { try await stream.next() }
        waiting.cancel()
        #expect(try await waiting.valueInTime() == .ended(.gone))
        let left = try site.service.live.open(for: guest.account)
        let last = Task { try await left.next() }
        try Self.close(site)
        #expect(try await last.valueInTime() == .ended(.stopping))
    }

    /// Closes the site. A service may be closed on plain threads only, so this function is synchronous.
    private static func close(_ site: Site) throws { try site.close() }

    @Test("The merchant's stream shows that a code was used, and the customer's shows cards and rewards")
    func bothSides() async throws {
        let site = try Site()
        let service = site.service
        let shop = try await TeaShop.open(on: service, goal: 1)
        let guest = try await customer(1, on: service)
        let (counter, pocket) = (try service.live.open(for: shop.owner.account), try service.live.open(for: guest.account))
        let accepted = try await service.stamp(try await shop.code(on: service), by: guest)
        let card = try #require(accepted.cards.first?.id)
        _ = try await service.redeem(try await shop.redemptionCode(of: card, by: guest, on: service), by: shop.owner)
        #expect(try await collect(3, from: counter).map(\.event.name) == ["codeIssued", "cardStamped", "cardRedeemed"])
        #expect(
            try await collect(4, from: pocket).map(\.event.name)
                == ["cardOpened", "cardStamped", "redemptionRequested", "cardRedeemed"])
    }
}

extension LoyaltyEvent {
    /// The name of the enum case.
    fileprivate var name: String { String("\(self)".prefix { $0 != "(" }) }
}
