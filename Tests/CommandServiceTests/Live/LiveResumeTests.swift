import CommandService
import Composition
import EventLog
import Loyalty
import Patience
import ReadModels
import Testing

/// A resumed stream has no gap and no duplicate, whatever the position it resumes from.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct LiveResumeTests {
    @Test("A stream that is resumed at any position gives exactly the account's events after it")
    func resumed() async throws {
        let site = try Site()
        let service = site.service
        let day = try await BusyDay(on: service, guests: 3)
        for number in 0..<24 { try await day.visit(number, of: day.guests[number % 3], on: service) }
        try await day.tellAll(on: service)
        let all = try facts(of: service)
        #expect(all.count > 100)
        for account in day.everybody {
            let expected = shown(to: account, of: all)
            #expect(expected.count > 10)
            for position in 0...all.count {
                let rest = expected.filter { $0.position > UInt64(position) }
                let stream = try service.live.open(for: account, after: Position(UInt64(position)))
                #expect(try await collect(rest.count, from: stream) == rest)
                if position.isMultiple(of: 20) { try await eventually("the stream has no more events") { stream.isIdle } }
            }
        }
        #expect(service.live.count == 0)
    }

    /// The recipients of a notice are the accounts that hold a card at the time of posting. Cards that are opened or redeemed later do not
    /// change the recipients.
    @Test("A stream resumed at any position has exactly those notices to holders that are also in the account's list")
    func noticesToHolders() async throws {
        let site = try Site()
        let service = site.service
        let shop = try await TeaShop.open(on: service, goal: 1)
        let guest = try await customer(1, on: service)
        func tell() async throws {
            _ = try await service.postNotice(
                title: "News", text: "Come", to: .holders(shop.campaign, of: shop.shop), by: shop.owner)
            try await Self.expectListedNotices(of: guest, on: service)
        }
        for _ in 0..<2 {
            try await tell()
            let card = try #require(try await service.stamp(try await shop.code(on: service), by: guest).cards.first)
            try await tell()
            let redeemed = try await service.redeem(try await shop.redemptionCode(of: card.id, by: guest, on: service), by: shop.owner)
            try await tell()
            guard case .cardRedeemed(let event) = redeemed.facts.first?.event else { throw TestFailure("not redeemed") }
            _ = try await service.reverse(event.redemption, reason: "Mistake", by: shop.owner)
            try await tell()
            _ = try await service.redeem(try await shop.redemptionCode(of: card.id, by: guest, on: service), by: shop.owner)
            _ = try await service.submit(.discardCard(DiscardCard(card: card.id)), by: guest)
            try await tell()
        }
    }

    private static func expectListedNotices(of guest: Caller, on service: GreenTea) async throws {
        try await BusyDay(shops: [], guests: [guest]).tellAll(on: service)
        let head = service.log.head
        try await eventually("the list has all notices") { service.models.position(of: Notices.name) >= head }
        let listed = try service.models.notices.notices(of: guest.account, limit: 100).notices.map(\.notice.position).reversed()
        for start in 0..<head.rawValue {
            let stream = try service.live.open(for: guest.account, after: Position(start))
            var streamed: [UInt64] = []
            while streamed.last != head.rawValue {
                for fact in try await collect(1, from: stream) {
                    if case .noticePosted = fact.event { streamed.append(fact.position) }
                }
            }
            #expect(streamed == listed.filter { $0 > start }, "resumed after \(start) of \(head.rawValue)")
        }
    }

    @Test("Readers that stay or reconnect lose and repeat no event while all guests write")
    func duringWrites() async throws {
        let site = try Site()
        let service = site.service
        let day = try await BusyDay(on: service, guests: 6)
        let start = service.log.head
        let writers = Task { [service] in
            _ = try await concurrently(6) { number in
                for visit in 0..<60 { try await day.visit(visit, of: day.guests[number], on: service) }
            }
            try await day.tellAll(on: service)
        }
        let given = try await concurrently(2 * day.everybody.count) { [service] number in
            let account = day.everybody[number / 2]
            return try await number.isMultiple(of: 2)
                ? collect(untilNoticeFrom: try service.live.open(for: account, after: start))
                : Self.comingAndGoing(account, after: start, on: service)
        }
        try await writers.valueInTime()
        let all = try facts(of: service)
        for (number, facts) in given.enumerated() {
            let expected = shown(to: day.everybody[number / 2], of: all).filter { $0.position > start.rawValue }
            #expect(facts == expected, "reader \(number): \(facts.count) of \(expected.count)")
        }
    }

    /// Reads an account's events over a connection that breaks after a few events and is resumed, repeatedly.
    private static func comingAndGoing(_ account: AccountID, after start: Position, on service: GreenTea) async throws -> [Fact] {
        var (facts, last): ([Fact], Position) = ([], start)
        while true {
            try Task.checkCancellation()
            let stream = try service.live.open(for: account, after: last)
            for _ in 0..<3 {
                guard case .events(let more) = try await stream.next() else { continue }
                // The connection breaks in the middle of a batch.
                let arrived = more.prefix(1 + more.count / 2)
                facts += arrived
                last = arrived.last.map { Position($0.position) } ?? last
                if arrived.contains(where: { $0.event.isNoticeToAll }) { return facts }
                if arrived.count < more.count { break }
            }
        }
    }

    @Test("A slow reader has a bounded buffer and misses no event")
    func slowReader() async throws {
        let site = try Site()
        let service = site.service
        let shop = try await TeaShop.open(on: service, goal: 50)
        let guest = try await customer(1, on: service)
        let stream = try service.live.open(for: shop.owner.account)
        let first = Task { try await stream.next() }
        _ = try await service.stamp(try await shop.code(on: service), by: guest)
        guard case .events(var given) = try await first.valueInTime() else { throw TestFailure("no events") }
        for _ in 0..<200 { _ = try await service.stamp(try await shop.code(on: service), by: guest) }
        try await eventually("the buffer is full") { service.live.buffered == CommandService.Limits.liveBufferedEventsMax }
        given += try await collect(402 - given.count, from: stream)
        #expect(given == shown(to: shop.owner.account, of: try facts(of: service)))
        #expect(service.live.buffered == 0)
    }
}
