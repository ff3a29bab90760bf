import EventLog
import Histories
import Loyalty
import ReadModels
import Seeds
import Testing

/// Compares the lists and counts of customers on random histories with a full evaluation of the same facts.
@Suite(.timeLimit(.minutes(15))) struct CustomerOracleTests {
    /// One customer's days and cards at one shop, by the facts.
    private struct Known {
        var days: Set<Int> = []
        var isFull = false
        var isNearlyFull = false

        var first: Int { days.min() ?? 0 }
        var last: Int { days.max() ?? 0 }

        func segments(on today: Int) -> Set<CustomerSegment> {
            var segments: Set<CustomerSegment> = []
            if isFull { segments.insert(.full) }
            if isNearlyFull { segments.insert(.nearlyFull) }
            let twice = days.count > 1 ? (Double(2 * (last - first)) / Double(days.count - 1)).rounded(.up) : 0
            if Double(today - last) >= min(max(twice, 21), 365) {
                segments.insert(.lapsed)
            } else if today - first < 30 {
                segments.insert(.new)
            } else if days.count >= 3 {
                segments.insert(.regular)
            }
            return segments
        }

        func value(_ sort: CustomerSort) -> Int {
            switch sort {
            case .lastVisit: last
            case .visits: days.count
            case .firstVisit: first
            }
        }
    }

    private struct Gain {
        let shop: ShopID
        let card: CardID
        let id: UInt128
        let day: Int
        var left: Int
    }

    /// Evaluates facts, one after another, without any index.
    private struct Everything {
        private(set) var cards: [CardID: Card] = [:]
        /// By card and shop, the number of the last stamp there while card and shop had one owner.
        private var guests: [CardID: [ShopID: UInt64]] = [:]
        private var owners: [ShopID: AccountID] = [:]
        private var sales: [ShopID: UInt64] = [:]
        private var gains: [Gain] = []
        private var zones: [ShopID: String] = [:]
        private var erased: Set<AccountID> = []

        init(_ facts: [Fact]) { for fact in facts { add(fact) } }

        private mutating func add(_ fact: Fact) {
            if let id = fact.event.card {
                if let card = Card(opening: fact) { cards[id] = card } else { cards[id]?.evolve(fact) }
            }
            switch fact.event {
            case .shopOpened(let event): (zones[event.shop], owners[event.shop]) = (event.schedule.timeZone, event.owner)
            case .shopTransferred(let event): (owners[event.shop], sales[event.shop]) = (event.account, fact.position)
            case .shopEdited(let event): zones[event.shop] = event.schedule.timeZone
            case .accountErased(let event): erased.insert(event.account)
            case .cardStamped(let event):
                gain(event.shop, event.card, event.code.value, event.stamps, at: fact.time)
                if let home = cards[event.card]?.shop, owners[home] == owners[event.shop] {
                    guests[event.card, default: [:]][event.shop] = fact.position
                }
            case .cardRedeemed(let event): gain(event.shop, event.card, event.redemption.value, 1, at: fact.time)
            case .milestoneRedeemed(let event): gain(event.shop, event.card, event.redemption.value, 1, at: fact.time)
            case .stampReversed(let event): takeBack(event.shop, event.holder, event.code.value, event.stamps)
            case .redemptionReversed(let event): takeBack(event.shop, event.holder, event.redemption.value, 1)
            case .milestoneReversed(let event): takeBack(event.shop, event.holder, event.redemption.value, 1)
            default: break
            }
        }

        private mutating func gain(_ shop: ShopID, _ card: CardID, _ id: UInt128, _ count: Int, at time: Instant) {
            let zone = ReportZone(name: zones[shop] ?? "Asia/Shanghai") ?? .utc
            gains.append(Gain(shop: shop, card: card, id: id, day: zone.day(of: time), left: count))
        }

        private mutating func takeBack(_ shop: ShopID, _ holder: AccountID, _ id: UInt128, _ count: Int) {
            var left = count
            for place in gains.indices.reversed() where gains[place].id == id && gains[place].shop == shop {
                guard cards[gains[place].card]?.holder == holder else { continue }
                let taken = min(left, gains[place].left)
                gains[place].left -= taken
                left -= taken
            }
        }

        /// Also at another shop than its own that stamped it, and neither of which was sold since.
        private func isShown(_ card: Card, at shop: ShopID) -> Bool {
            guard card.shop != shop else { return true }
            let sale = max(sales[shop] ?? 0, sales[card.shop] ?? 0)
            return guests[card.id]?[shop] ?? 0 > sale
        }

        func heldCards(of account: AccountID, at shop: ShopID) -> Set<CardID> {
            let held = cards.values.filter { $0.holder == account && ($0.status == .collecting || $0.status == .full) }
            return Set(held.filter { isShown($0, at: shop) }.map(\.id))
        }

        func customers(of shop: ShopID) -> [AccountID: Known] {
            var known: [AccountID: Known] = [:]
            for gain in gains where gain.shop == shop && gain.left > 0 {
                if let holder = cards[gain.card]?.holder, !erased.contains(holder) { known[holder, default: Known()].days.insert(gain.day) }
            }
            for card in cards.values where isShown(card, at: shop) {
                if card.status == .full { known[card.holder]?.isFull = true }
                if card.status == .collecting, card.stamps > 0, card.goal - card.stamps <= 2 { known[card.holder]?.isNearlyFull = true }
            }
            return known
        }
    }

    @Test("Lists, orders and counts of customers are those of a full evaluation of a random history", arguments: 0..<6)
    func likeOracle(_ round: Int) async throws {
        let random = SeededRandom(seed: SeededRandom.announced("customers \(round)").seed &+ UInt64(round))
        var history = RandomHistory(random: random, ages: round >= 2, milestones: round == 3, joins: round % 2 == 1)
        history.grow(to: 1_200)
        let stretched = history.facts.stretched(over: 120)
        let facts = round < 4 ? stretched : stretched.sold(random: random)
        let open = try OpenData(TestData())
        for start in stride(from: 0, to: facts.count, by: 211) {
            #expect(try await open.append(facts[start..<min(start + 211, facts.count)]))
        }
        let (everything, model) = (Everything(facts), open.models.customers)
        let last = ReportZone.utc.day(of: try #require(facts.last).time)
        var seen = 0
        for shop in history.shops {
            let customers = everything.customers(of: shop)
            for today in [last - 40, last - 21, last, last + 9, last + 40, last + 500] {
                for segment in CustomerSegment.allCases.map(Optional.some) + [nil] {
                    let expected = customers.filter { segment.map($0.value.segments(on: today).contains) ?? true }
                    for sort in CustomerSort.allCases {
                        let listed = try whole(model, shop, CustomerList(segment: segment, sort: sort), today)
                        let order = expected.sorted { ($0.value.value(sort), $0.key) > ($1.value.value(sort), $1.key) }
                        #expect(listed == order.map(\.key), "\(segment.map { "\($0)" } ?? "all") by \(sort) on day \(today)")
                        seen += listed.count
                    }
                }
                try expect(try model.page(of: shop, CustomerList(), today: today).counts, customers, today)
            }
            for (account, known) in customers {
                let details = try model.details(of: account, at: shop, cardsMax: 1_000, visitsMax: 1_000)
                #expect(details.visits == known.days.sorted(by: >))
                #expect(Set(details.cards.map(\.id)) == everything.heldCards(of: account, at: shop))
                #expect(details.cards.allSatisfy { everything.cards[$0.id]?.stamps == $0.stamps })
            }
        }
        #expect(seen > 500)
        try open.close()
    }

    private func whole(_ model: Customers, _ shop: ShopID, _ list: CustomerList, _ today: Int) throws -> [AccountID] {
        var (found, place): ([AccountID], CustomerPlace?) = ([], nil)
        repeat {
            let page = try model.page(of: shop, list, today: today, after: place, limit: 5)
            found += page.customers.map(\.account)
            place = page.next
        } while place != nil
        return found
    }

    private func expect(_ counts: CustomerCounts, _ customers: [AccountID: Known], _ today: Int) throws {
        func count(_ segment: CustomerSegment) -> Int { customers.values.count { $0.segments(on: today).contains(segment) } }
        #expect(counts.all == customers.count)
        #expect([counts.new, counts.regular, counts.lapsed] == [count(.new), count(.regular), count(.lapsed)])
        #expect([counts.nearlyFull, counts.full] == [count(.nearlyFull), count(.full)])
    }
}
