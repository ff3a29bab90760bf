import CommandService
import EventLog
import Foundation
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
    private static let goal = 10

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
        let log = try data.log(.readWrite)
        var town = Town(events: events, shops: shops, appender: try log.appender())
        try town.run()
        try log.close()
    }

    /// An id whose first 48 bits ascend with `number`, as the time does in the service's ids of cards.
    private static func timed(_ number: UInt64, _ purpose: UInt64) -> UInt128 {
        UInt128(number) << 80 | GeneratedLog.scattered(number, purpose) >> 48
    }

    /// A low estimate of the cards that were opened in the first half of the events.
    static func cards(of events: Int) -> UInt64 { UInt64(events / 16) }

    static func card(_ number: UInt64) -> CardID { CardID(timed(number, 5)) }

    private struct Town {
        let events: Int
        let appender: Appender
        var written = 0
        var accounts: UInt64 = 0
        var cards: UInt64 = 0
        var codes: UInt64 = 0
        var regulars: [[Regular]]
        /// Cumulative weights by which shops are chosen.
        let shares: [Double]
        var random = Xorshift(state: 0x9E37_79B9_7F4A_7C15)

        init(events: Int, shops: Int, appender: Appender) {
            (self.events, self.appender) = (events, appender)
            regulars = Array(repeating: [], count: shops)
            var sum = 0.0
            shares = (0..<shops).map { shop in
                sum += 1 / Double(shop + 10)
                return sum
            }
        }

        private var now: Instant { GeneratedTown.first.advanced(bySeconds: Int64(written / 10)) }

        private mutating func add(_ event: LoyaltyEvent, by actor: AccountID) throws {
            guard written < events else { return }
            written += 1
            let mark = RequestMark(request: id(UInt64(written), 12), digest: id(UInt64(written), 13))
            _ = try appender.stage(try LoyaltyCodec.encode(event, by: actor, at: now, mark: mark))
            if written % GeneratedTown.batchEvents == 0 { try appender.commit() }
        }

        mutating func run() throws {
            for shop in regulars.indices { try open(shop) }
            while written < events {
                if written / 10 > Int(accounts) || events - written < GeneratedTown.visitEventsMax { try register() }
                // All events of a visit must fit, so that each opened card also gets a stamp.
                if events - written >= GeneratedTown.visitEventsMax { try visit(pickShop()) }
            }
            try appender.commit()
        }

        private func id(_ number: UInt64, _ purpose: UInt64) -> UInt128 { GeneratedLog.scattered(number, purpose) }

        private func timed(_ number: UInt64, _ purpose: UInt64) -> UInt128 { GeneratedTown.timed(number, purpose) }

        private func owner(_ shop: Int) -> AccountID { AccountID(id(UInt64(shop), 1)) }
        private func shop(_ shop: Int) -> ShopID { ShopID(id(UInt64(shop), 2)) }
        private func campaign(_ shop: Int) -> CampaignID { CampaignID(id(UInt64(shop), 3)) }
        private func account(_ number: UInt64) -> AccountID { AccountID(timed(number, 4)) }

        private mutating func open(_ number: Int) throws {
            let place = Coordinate(latitude: 31 + Double(number % 100) / 100, longitude: 121 + Double(number / 100 % 100) / 100)
            let opened = ShopOpened(
                shop: shop(number), owner: owner(number), name: "Shop \(number)", phone: "010-1234 5678", address: "\(number) Nanjing Road",
                location: place)
            let published = CampaignPublished(
                campaign: campaign(number), shop: shop(number), kind: .stampCard,
                terms: CampaignTerms(
                    title: "Ten cups", details: "Any drink counts.", goal: GeneratedTown.goal, reward: "A cup",
                    startsAt: GeneratedTown.first, endsAt: GeneratedTown.first.advanced(bySeconds: 1 << 32)))
            try add(GeneratedLog.registered(owner(number)), by: owner(number))
            try add(.shopOpened(opened), by: owner(number))
            try add(.campaignPublished(published), by: owner(number))
        }

        private mutating func register() throws {
            try add(GeneratedLog.registered(account(accounts)), by: account(accounts))
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
            let code = try issue(at: shop)
            if regular.stamps == 0 { try openCard(of: regular, at: shop) }
            try stamp(regular, with: code, at: shop)
            regular.stamps += 1
            if regular.stamps == GeneratedTown.goal {
                try redeem(regular, at: shop)
                (regular.stamps, regular.card) = (0, cards)
                cards += 1
            }
            if random.unit() < 0.01 { try review(regular, at: shop) }
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
            if regulars[shop][place].stamps > 0 { try discard(regulars[shop][place], at: shop) }
            regulars[shop][place] = newcomer
            return place
        }

        private mutating func discard(_ regular: Regular, at shop: Int) throws {
            let holder = account(regular.account)
            let discarded = CardDiscarded(
                card: CardID(timed(regular.card, 5)), campaign: campaign(shop), shop: self.shop(shop), holder: holder)
            try add(.cardDiscarded(discarded), by: holder)
        }

        private mutating func openCard(of regular: Regular, at shop: Int) throws {
            let opened = CardOpened(
                card: CardID(timed(regular.card, 5)), campaign: campaign(shop), shop: self.shop(shop), holder: account(regular.account),
                goal: GeneratedTown.goal, reward: "A cup")
            try add(.cardOpened(opened), by: account(regular.account))
        }

        private mutating func issue(at shop: Int) throws -> CodeID {
            let code = CodeID(timed(codes, 7))
            let issued = CodeIssued(
                code: code, campaign: campaign(shop), shop: self.shop(shop), secret: Secret(id(codes, 8)), attempt: 0, stamps: 1,
                expiresAt: now.advanced(bySeconds: 600))
            codes += 1
            try add(.codeIssued(issued), by: owner(shop))
            return code
        }

        private mutating func stamp(_ regular: Regular, with code: CodeID, at shop: Int) throws {
            let stamped = CardStamped(
                card: CardID(timed(regular.card, 5)), code: code, campaign: campaign(shop), shop: self.shop(shop),
                holder: account(regular.account), stamps: 1)
            try add(.cardStamped(stamped), by: account(regular.account))
        }

        private mutating func redeem(_ regular: Regular, at shop: Int) throws {
            let (card, holder) = (CardID(timed(regular.card, 5)), account(regular.account))
            let redemption = RedemptionID(timed(regular.card, 9))
            let requested = RedemptionRequested(
                redemption: redemption, card: card, campaign: campaign(shop), shop: self.shop(shop), holder: holder,
                secret: Secret(id(regular.card, 10)), attempt: 0, expiresAt: now.advanced(bySeconds: 300))
            try add(.redemptionRequested(requested), by: holder)
            let redeemed = CardRedeemed(
                redemption: redemption, card: card, campaign: campaign(shop), shop: self.shop(shop), holder: holder)
            try add(.cardRedeemed(redeemed), by: owner(shop))
        }

        private mutating func review(_ regular: Regular, at shop: Int) throws {
            let review = ReviewPosted(
                review: ReviewID(id(codes, 11)), shop: self.shop(shop), author: account(regular.account),
                rating: Int(random.next() % 5) + 1, text: nil)
            try add(.reviewPosted(review), by: account(regular.account))
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
