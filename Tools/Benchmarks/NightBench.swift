import CommandService
import Composition
import EventLog
import Foundation
import Loyalty
import LoyaltyCodec
import ReadModels
import Synchronization

/// Measures stamps before and while the scheduler records the expiry of very many cards.
///
/// Stamps are sent at a fixed rate and measured from their planned moments, so that a stall counts for every stamp that it delays. The
/// clocks of the service and scheduler are moved past the cards' end.
struct NightBench {
    let sizes: Sizes
    let folder: String

    func run(into report: inout Report) async throws {
        let home = folder + "/night"
        try NightLog(cards: sizes.expiringCards, endsAt: SystemClock().now().advanced(bySeconds: 3_600)).write(to: DataFolder(home))
        let clock = SetClock()
        let shop = try await BenchShop.open(in: home, customers: 1_024, clock: clock)
        let service = shop.service
        guard await service.models.reached(service.log.head, timeoutSeconds: 3_600) else { throw BenchError.unexpected }
        // Otherwise the first stamps would wait for the new log and models.
        sync()
        let stamps = sizes.nightRate * sizes.nightSeconds
        let codes = try await shop.issue(stamps * 2)
        let before = try await stamp(codes.prefix(stamps), in: shop)
        let own = ProcessFigures.megabytes("RssAnon")

        let evening = service.log.head
        clock.advance(seconds: 7_200)
        let night = try await stamp(codes.suffix(stamps), in: shop)
        let recorded = try ends(in: service.log, after: evening)
        guard recorded > 0 else { throw BenchError.unexpected }
        let isOver = recorded == sizes.expiringCards
        let ownAtNight = ProcessFigures.megabytes("RssAnon")
        try close(service)

        report.add("stamps at \(sizes.nightRate)/s, before the cards expire: p99", "µs", [before.p99])
        report.add("  p50", "µs", [before.p50])
        report.add("while \(sizes.expiringCards) cards expire: p99", "µs", [night.p99])
        report.add("  p50", "µs", [night.p50])
        report.add("  cards whose end was recorded meanwhile" + (isOver ? ", all" : ""), "cards", [Double(recorded)])
        report.add("  the same a second", "cards/s", [Double(recorded) / night.seconds])
        report.add("  memory of its own, before and at night", "MB", [own, ownAtNight])
        report.addRatio("p99 at night : before", of: [night.p99], to: [before.p99])
    }

    private func ends(in log: EventLog, after: Position) throws -> Int {
        var ends = 0
        try log.scan(after: after) { (_, record) in
            ends += record.type == .cardExpired ? 1 : 0
            return true
        }
        return ends
    }

    private func stamp(_ codes: ArraySlice<TypedCode>, in shop: BenchShop) async throws -> PacedStamps {
        let clock = ContinuousClock()
        let (begin, gap) = (clock.now, Duration.seconds(1) / sizes.nightRate)
        let times = try await withThrowingTaskGroup(of: Double.self) { group in
            for (number, code) in codes.enumerated() {
                let planned = begin + gap * number
                if clock.now < planned { try await clock.sleep(until: planned) }
                let account = shop.customers[number % shop.customers.count]
                group.addTask {
                    let mark = shop.service.keys.mark(account: account, key: code.text, content: Array(code.text.utf8))
                    let accepted = try await shop.service.stamp(code, by: Caller(account: account, mark: mark))
                    guard !accepted.cards.isEmpty else { throw BenchError.unexpected }
                    return (clock.now - planned) / .microseconds(1)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        return PacedStamps(microseconds: times.sorted(), seconds: (clock.now - begin) / .seconds(1))
    }
}

private struct PacedStamps {
    /// From the planned moment to the durable answer, ascending.
    let microseconds: [Double]
    /// From the first planned moment to the last answer.
    let seconds: Double

    var p50: Double { microseconds[microseconds.count / 2] }
    var p99: Double { microseconds[microseconds.count * 99 / 100] }
}

/// The machine's clocks, moved forward by a number of seconds.
private final class SetClock: CommandService.Clock {
    private let ahead = Atomic<Int64>(0)

    func now() -> Instant { SystemClock().now().advanced(bySeconds: ahead.load(ordering: .relaxed)) }

    func steady() -> Instant { SystemClock().steady().advanced(bySeconds: ahead.load(ordering: .relaxed)) }

    func advance(seconds: Int64) { ahead.add(seconds, ordering: .relaxed) }
}

/// A valid log in which many cards with one stamp expire at once. A validity of one day is too short for reminders.
private struct NightLog {
    private static let cardsOfAccount: UInt64 = 10
    private static let batchEvents = 1_024
    private let cards: UInt64
    private let endsAt: Instant
    private let begin: Instant
    private let shop = ShopID(1)
    private let staff = AccountID(3)

    init(cards: Int, endsAt: Instant) {
        (self.cards, self.endsAt) = (UInt64(cards), endsAt)
        begin = endsAt.advanced(bySeconds: -86_400)
    }

    func write(to data: DataFolder) throws {
        let log = try data.log(.readWrite)
        let appender = try log.appender()
        var written: UInt64 = 0
        func stage(_ events: [(AccountID, LoyaltyEvent)]) throws {
            for (actor, event) in events {
                written += 1
                let mark = RequestMark(request: GeneratedLog.scattered(written, 12), digest: GeneratedLog.scattered(written, 13))
                _ = try appender.stage(LoyaltyCodec.encode(event, by: actor, at: begin, mark: mark))
            }
            if written % UInt64(Self.batchEvents) < 4 { try appender.commit() }
        }
        try stage(opening)
        for number in 0..<cards { try stage(life(ofCard: number)) }
        try appender.commit()
        try log.close()
    }

    /// One campaign for each card that an account may hold at a time.
    private var opening: [(AccountID, LoyaltyEvent)] {
        let opened = ShopOpened(
            shop: shop, owner: staff, name: "A shop of one night", phone: "010-1234 5678", address: "1 Nanjing Road",
            location: Coordinate(latitude: 31.2304, longitude: 121.4737))
        let terms = CampaignTerms<TypedText>(
            title: "Ten cups today", details: "", goal: 10, reward: "A cup", startsAt: begin, endsAt: endsAt,
            options: CampaignOptions(cardValidDays: 1))
        let campaigns = (0..<Self.cardsOfAccount).map { number in
            CampaignPublished(campaign: campaign(number), shop: shop, kind: .stampCard, terms: terms)
        }
        return [(staff, GeneratedLog.registered(staff)), (staff, .shopOpened(opened))] + campaigns.map { (staff, .campaignPublished($0)) }
    }

    private func campaign(_ number: UInt64) -> CampaignID { CampaignID(UInt128(100 + number)) }

    private func life(ofCard number: UInt64) -> [(AccountID, LoyaltyEvent)] {
        let (card, campaign) = (CardID(GeneratedLog.scattered(number, 5)), campaign(number % Self.cardsOfAccount))
        let holder = AccountID(GeneratedLog.scattered(number / Self.cardsOfAccount, 6))
        let code = CodeID(GeneratedLog.scattered(number, 7))
        let issued = CodeIssued(
            code: code, campaign: campaign, shop: shop, secret: Secret(GeneratedLog.scattered(number, 8)), attempt: 0, stamps: 1,
            expiresAt: begin.advanced(bySeconds: 600))
        let opened = CardOpened(
            card: card, campaign: campaign, shop: shop, holder: holder, goal: 10, reward: "A cup",
            terms: CardTerms(expiresAt: endsAt, redeemUntil: nil))
        let stamped = CardStamped(card: card, code: code, campaign: campaign, shop: shop, holder: holder, stamps: 1)
        let isFirst = number % Self.cardsOfAccount == 0
        return (isFirst ? [(holder, GeneratedLog.registered(holder))] : [])
            + [(staff, .codeIssued(issued)), (holder, .cardOpened(opened)), (holder, .cardStamped(stamped))]
    }
}
