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
                group.addTask {
                    try await shop.stamp(code, byCustomer: number)
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

    var p50: Double { microseconds.percentile(0.5) }
    var p99: Double { microseconds.percentile(0.99) }
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
    private let cards: UInt64
    private let endsAt: Instant
    private let begin: Instant

    init(cards: Int, endsAt: Instant) {
        (self.cards, self.endsAt) = (UInt64(cards), endsAt)
        begin = endsAt.advanced(bySeconds: -86_400)
    }

    func write(to data: DataFolder) throws {
        var log = try GeneratedEvents(in: data)
        for act in opening { try log.add(act, at: begin) }
        for number in 0..<cards {
            for act in life(ofCard: number) { try log.add(act, at: begin) }
        }
        try log.close()
    }

    /// One campaign for each card that an account may hold at a time.
    private func counter(_ campaign: UInt64) -> Counter {
        Counter(shop: ShopID(1), campaign: CampaignID(UInt128(100 + campaign)), staff: AccountID(3))
    }

    private var opening: [Counter.Act] {
        let options = CampaignOptions(cardValidDays: 1)
        return counter(0).founded("A shop of one night")
            + (0..<Self.cardsOfAccount).map {
                counter($0).published("Ten cups today", details: "", from: begin, to: endsAt, options: options)
            }
    }

    private func life(ofCard number: UInt64) -> [Counter.Act] {
        let (card, code) = (CardID(scattered(number, 5)), CodeID(scattered(number, 7)))
        let (counter, holder) = (counter(number % Self.cardsOfAccount), AccountID(scattered(number / Self.cardsOfAccount, 6)))
        return (number % Self.cardsOfAccount == 0 ? [Counter.registered(holder)] : []) + [
            counter.issued(code, number: number, at: begin),
            counter.opened(card, of: holder, terms: CardTerms(expiresAt: endsAt, redeemUntil: nil)),
            counter.stamped(card, of: holder, with: code),
        ]
    }
}
