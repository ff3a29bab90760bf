import Loyalty
import LoyaltyCodec

/// A valid log of a busy shop: cards are opened, filled by ten codes, and redeemed; some customers rate the shop.
struct GeneratedLog {
    private static let customersMax = 10_000
    private static let first = Instant(microseconds: 1_700_000_000_000_000)
    private let events: Int
    private let customers: UInt64
    private let counter = Counter(shop: ShopID(1), campaign: CampaignID(2), staff: AccountID(3))

    init(events: Int) {
        self.events = events
        customers = UInt64(min(Self.customersMax, max(1, events / 1_000)))
    }

    func write(to data: DataFolder) throws {
        var log = try GeneratedEvents(in: data)
        var number: UInt64 = 0
        while log.count < events {
            let now = Self.first.advanced(byMilliseconds: log.count)
            for act in (number == 0 ? opening : []) + life(ofCard: number, at: now) where log.count < events {
                // A card's first stamp must follow its opening, so a registration replaces an opening as last event.
                let isCutOff = log.count + 1 == events && act.event.opensCard
                try log.add(
                    isCutOff ? (counter.staff, Counter.registered(AccountID(4)).event) : act,
                    at: Self.first.advanced(byMilliseconds: log.count + 1))
            }
            number += 1
        }
        try log.close()
    }

    private var opening: [Counter.Act] {
        counter.founded("A busy shop") + [counter.published(from: Self.first, to: Self.first.advanced(byMilliseconds: 1 << 40))]
    }

    /// One card's events with their actors, from the first code to the redemption, sometimes with a registration before and a review after.
    private func life(ofCard number: UInt64, at now: Instant) -> [Counter.Act] {
        let (card, holder) = (CardID(scattered(number, 5)), AccountID(scattered(number % customers, 6)))
        var life = number < customers ? [Counter.registered(holder)] : []
        for cup in 0..<UInt64(Counter.goal) {
            let code = CodeID(scattered(number * 10 + cup, 7))
            life.append(counter.issued(code, number: number * 10 + cup, at: now))
            if cup == 0 { life.append(counter.opened(card, of: holder)) }
            life.append(counter.stamped(card, of: holder, with: code))
        }
        life += counter.redeemed(RedemptionID(scattered(number, 9)), card, number: number, of: holder, at: now)
        if number % 20 == 0 { life.append(counter.reviewed(number, by: holder, rating: Int(number / 20 % 5) + 1)) }
        return life
    }
}

extension Instant {
    /// Events of a generated log are a millisecond apart.
    fileprivate func advanced(byMilliseconds count: Int) -> Instant { Instant(microseconds: microseconds + Int64(count) * 1_000) }
}

extension LoyaltyEvent {
    fileprivate var opensCard: Bool { if case .cardOpened = self { true } else { false } }
}
