import Loyalty
import LoyaltyCodec

/// The valid log of a town with a shop for each thousand events, at most 10,000, and customers distributed as unevenly as in reality.
///
/// Shop k's visits are proportional to 1 / (k + 10), and three of four are by regular customers. Most cards never fill. A tenth of the
/// events are registrations: ten million events belong to a million accounts.
struct GeneratedTown {
    private static let first = Instant(microseconds: 1_700_000_000_000_000)
    private static let batchEvents = 8_192
    /// An upper bound: registration, discarded card, code, opened card, stamp, requested and completed redemption, review.
    private static let visitEventsMax = 8
    private static let regularsMax = 512

    /// Above the maximum, a newcomer replaces a regular customer.
    private struct Regular {
        let account: UInt64
        var card: UInt64
        var stamps = 0
    }

    private let events: Int
    private let shops: Int
    private let data: DataFolder

    init(events: Int, in data: DataFolder) {
        self.events = events
        shops = min(10_000, max(1, events / 1_000))
        self.data = data
    }

    func write() throws {
        var town = Town(events: events, shops: shops, log: try GeneratedEvents(in: data, batch: Self.batchEvents))
        try town.run()
        try town.log.close()
    }

    /// An id whose first 48 bits ascend with `number`, as the time does in the service's ids of cards.
    private static func timed(_ number: UInt64, _ purpose: UInt64) -> UInt128 {
        UInt128(number) << 80 | scattered(number, purpose) >> 48
    }

    /// A low estimate of the cards that were opened in the first half of the events.
    static func cards(of events: Int) -> UInt64 { UInt64(events / 16) }

    static func card(_ number: UInt64) -> CardID { CardID(timed(number, 5)) }

    private struct Town {
        let events: Int
        var log: GeneratedEvents
        var accounts: UInt64 = 0
        var cards: UInt64 = 0
        var codes: UInt64 = 0
        var regulars: [[Regular]]
        /// Cumulative weights by which shops are chosen.
        let shares: [Double]
        var random = Xorshift(state: 0x9E37_79B9_7F4A_7C15)

        init(events: Int, shops: Int, log: GeneratedEvents) {
            (self.events, self.log) = (events, log)
            regulars = Array(repeating: [], count: shops)
            var sum = 0.0
            shares = (0..<shops).map { shop in
                sum += 1 / Double(shop + 10)
                return sum
            }
        }

        private static func time(_ count: Int) -> Instant { GeneratedTown.first.advanced(bySeconds: Int64(count / 10)) }

        private mutating func add(_ act: Counter.Act) throws {
            if log.count < events { try log.add(act, at: Self.time(log.count + 1)) }
        }

        mutating func run() throws {
            for shop in regulars.indices { try open(shop) }
            while log.count < events {
                if log.count / 10 > Int(accounts) || events - log.count < GeneratedTown.visitEventsMax { try register() }
                // All events of a visit must fit, so that each opened card also gets a stamp.
                if events - log.count >= GeneratedTown.visitEventsMax { try visit(pickShop()) }
            }
        }

        private func counter(_ shop: Int) -> Counter {
            let number = UInt64(shop)
            return Counter(
                shop: ShopID(scattered(number, 2)), campaign: CampaignID(scattered(number, 3)), staff: AccountID(scattered(number, 1)))
        }

        private func account(_ number: UInt64) -> AccountID { AccountID(GeneratedTown.timed(number, 4)) }

        private mutating func open(_ number: Int) throws {
            let place = Coordinate(latitude: 31 + Double(number % 100) / 100, longitude: 121 + Double(number / 100 % 100) / 100)
            let counter = counter(number)
            let (begin, end) = (GeneratedTown.first, GeneratedTown.first.advanced(bySeconds: 1 << 32))
            for act in counter.founded("Shop \(number)", at: place, address: "\(number) Nanjing Road") { try add(act) }
            try add(counter.published(from: begin, to: end))
        }

        private mutating func register() throws {
            try add(Counter.registered(account(accounts)))
            accounts += 1
        }

        private mutating func pickShop() -> Int {
            let share = random.unit() * shares[shares.count - 1]
            var (low, high) = (0, shares.count - 1)
            while low < high {
                let middle = (low + high) / 2
                if shares[middle] < share { low = middle + 1 } else { high = middle }
            }
            return low
        }

        /// A code is issued and stamps a card, which may first be opened; a full card is redeemed at once. One visit in a hundred is
        /// reviewed.
        private mutating func visit(_ shop: Int) throws {
            let place = try customer(of: shop)
            var regular = regulars[shop][place]
            let (counter, holder, now) = (counter(shop), account(regular.account), Self.time(log.count))
            let (code, card) = (CodeID(GeneratedTown.timed(codes, 7)), GeneratedTown.card(regular.card))
            try add(counter.issued(code, number: codes, at: now))
            codes += 1
            if regular.stamps == 0 { try add(counter.opened(card, of: holder)) }
            try add(counter.stamped(card, of: holder, with: code))
            regular.stamps += 1
            if regular.stamps == Counter.goal {
                let redemption = RedemptionID(GeneratedTown.timed(regular.card, 9))
                let now = Self.time(log.count)
                for act in counter.redeemed(redemption, card, number: regular.card, of: holder, at: now) { try add(act) }
                (regular.stamps, regular.card) = (0, cards)
                cards += 1
            }
            if random.unit() < 0.01 { try add(counter.reviewed(codes, by: holder, rating: Int(random.next() % 5) + 1)) }
            regulars[shop][place] = regular
        }

        /// Usually a regular customer, otherwise any account, which becomes one. Returns the index among the regulars.
        private mutating func customer(of shop: Int) throws -> Int {
            let known = regulars[shop].count
            if known > 0, random.unit() < 0.75 { return Int(random.next() % UInt64(known)) }
            if accounts == 0 { try register() }
            let newcomer = Regular(account: random.next() % accounts, card: cards)
            // A customer has only one open card per campaign, so a regular account keeps its entry.
            if let place = regulars[shop].firstIndex(where: { $0.account == newcomer.account }) { return place }
            cards += 1
            if known < GeneratedTown.regularsMax {
                regulars[shop].append(newcomer)
                return known
            }
            let place = Int(random.next() % UInt64(known))
            // The replaced customer may become a regular one again.
            let old = regulars[shop][place]
            if old.stamps > 0 { try add(counter(shop).discarded(GeneratedTown.card(old.card), of: account(old.account))) }
            regulars[shop][place] = newcomer
            return place
        }
    }

    /// Marsaglia's xorshift64 with a fixed seed, so that each run creates the same town.
    private struct Xorshift {
        var state: UInt64

        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }

        /// From 0 up to, but not including, 1.
        mutating func unit() -> Double { Double(next() >> 11) / Double(1 << 53) }
    }
}
