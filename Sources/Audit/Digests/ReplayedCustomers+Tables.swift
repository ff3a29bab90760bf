internal import LMDB
internal import Loyalty
internal import LoyaltyCodec
internal import Projections
internal import ReadModels

extension ReplayedCustomers {
    func tables(_ cards: CardOrders) -> [CanonicalTable] {
        let numbers = cards.numbers
        let gains = DatedGains(of: self, numbers).rows
        let held = self.held(numbers)
        let customers = self.customers(gains, held)
        return [
            zoneTable, ownerTable, Self.customerTable(customers), Self.shopTable(customers), Self.visitTable(gains), cardTable(cards),
            Self.heldTable(held, numbers), Self.orderTable(customers), Self.countTable(customers),
        ]
    }

    /// A card at one of its shops.
    struct HeldRow {
        let shop, holder: UInt128
        let card: UInt32
        let place: UInt64
        let isFull, isNearlyFull: Bool
    }

    struct CustomerEntry {
        let shop, account: UInt128
        var row: CustomerRow
    }

    private func isKept(_ card: Int, _ numbers: ReplayedNumbers) -> Bool {
        !cards[card].isOver && !erased.contains(numbers.holder(of: card))
    }

    private func held(_ numbers: ReplayedNumbers) -> [HeldRow] {
        var rows: [HeldRow] = []
        for (number, card) in cards.enumerated() where isKept(number, numbers) {
            let known = numbers.cards[number]
            let lack = known.goal - card.stamps
            let place = known.position + (card.status == .redeemed ? 0 : 1 << 63)
            for shop in [numbers.shops.ids[Int(known.shop)]] + (guests[UInt32(number)]?.shops ?? []) {
                rows.append(
                    HeldRow(
                        shop: shop, holder: numbers.holder(of: number), card: UInt32(number), place: place,
                        isFull: card.status == .full, isNearlyFull: card.status == .collecting && card.stamps >= 1 && lack <= 2))
            }
        }
        return rows.sorted { ($0.shop, $0.holder, $0.place) < ($1.shop, $1.holder, $1.place) }
    }

    /// Sorted by shop and account.
    private func customers(_ gains: [DatedGains.Row], _ held: [HeldRow]) -> [CustomerEntry] {
        var entries: [CustomerEntry] = []
        var (gain, card) = (0, 0)
        while gain < gains.count || card < held.count {
            let byGain = gain < gains.count ? PairKey(gains[gain].shop, gains[gain].holder) : PairKey(.max, .max)
            let byCard = card < held.count ? PairKey(held[card].shop, held[card].holder) : PairKey(.max, .max)
            let (shop, account) = byGain < byCard ? (byGain.first, byGain.second) : (byCard.first, byCard.second)
            var (days, full, nearly, count) = ([Int](), 0, 0, 0)
            while gain < gains.count, (gains[gain].shop, gains[gain].holder) == (shop, account) {
                if days.last != gains[gain].day { days.append(gains[gain].day) }
                gain += 1
            }
            while card < held.count, (held[card].shop, held[card].holder) == (shop, account) {
                (full, nearly) = (full + (held[card].isFull ? 1 : 0), nearly + (held[card].isNearlyFull ? 1 : 0))
                (count, card) = (count + 1, card + 1)
            }
            let row = CustomerRow(
                firstDay: days.first ?? 0, lastDay: days.last ?? 0, visits: days.count, cards: count, full: full, nearlyFull: nearly)
            entries.append(CustomerEntry(shop: shop, account: account, row: row))
        }
        return entries
    }

    private var zoneTable: CanonicalTable {
        let last = zones.compactMap { shop, zones in zones.last.map { (shop: shop, zone: $0) } }
        return CanonicalTable("zones", last.sorted { $0.shop < $1.shop }) { entry, row in
            row.key = RowKey(entry.shop)
            ShopZone(name: entry.zone.name, position: entry.zone.position).encode(into: &row.value)
        }
    }

    private var ownerTable: CanonicalTable {
        CanonicalTable("owners", owners.sorted { $0.key < $1.key }) { entry, row in row.set(RowKey(entry.key), id: entry.value) }
    }

    private static func customerTable(_ customers: [CustomerEntry]) -> CanonicalTable {
        CanonicalTable("customers", customers) { customer, row in
            row.key = RowKey(customer.shop, and: customer.account)
            customer.row.encode(into: &row.value)
        }
    }

    private static func shopTable(_ customers: [CustomerEntry]) -> CanonicalTable {
        CanonicalTable("shops", customers.sorted { ($0.account, $0.shop) < ($1.account, $1.shop) }) { customer, row in
            (row.key, row.value) = (RowKey(customer.account, and: customer.shop), [])
        }
    }

    private static func visitTable(_ gains: [DatedGains.Row]) -> CanonicalTable {
        let starts = gains.indices.filter { $0 == 0 || !gains[$0].isSameVisit(as: gains[$0 - 1]) }
        return CanonicalTable("visits", starts) { start, row in
            let visit = gains[start]
            row.key = RowKey(visit.shop, and: visit.holder, position: UInt64(CustomerKey.value(day: visit.day)))
            var acts = VisitActs()
            for gain in gains[start...].prefix(while: { $0.isSameVisit(as: visit) }) {
                acts.add(VisitActs.Act(id: gain.id, card: gain.opened, count: gain.count))
            }
            acts.encode(into: &row.value)
        }
    }

    private func cardTable(_ orders: CardOrders) -> CanonicalTable {
        let numbers = orders.numbers
        return CanonicalTable("cards", orders.byID.filter { isKept(Int($0), numbers) }) { [self] number, row in
            let known = numbers.cards[Int(number)]
            var card = CustomerCard(
                campaign: numbers.campaigns.ids[Int(known.campaign)], shop: numbers.shops.ids[Int(known.shop)],
                holder: numbers.holder(of: Int(number)), opened: known.position, goal: Int(known.goal))
            (card.stamps, card.status) = (Int(cards[Int(number)].stamps), cards[Int(number)].status)
            card.guests = guests[number]?.shops ?? []
            row.key = RowKey(known.id)
            card.encode(into: &row.value)
        }
    }

    private static func heldTable(_ held: [HeldRow], _ numbers: ReplayedNumbers) -> CanonicalTable {
        CanonicalTable("held", held) { card, row in
            row.set(RowKey(card.shop, and: card.holder, position: card.place), id: numbers.cards[Int(card.card)].id)
        }
    }

    /// Each list in each order, from the definitions of the lists.
    private static func orderTable(_ customers: [CustomerEntry]) -> CanonicalTable {
        var rows: [(shop: UInt128, place: UInt64, customer: CustomerEntry)] = []
        for customer in customers where customer.row.visits > 0 {
            let row = customer.row
            for (list, isListed) in [true, row.nearlyFull > 0, row.full > 0].enumerated() where isListed {
                let values = [CustomerKey.value(day: row.lastDay), UInt32(row.visits), CustomerKey.value(day: row.firstDay)]
                for (sort, value) in values.enumerated() {
                    rows.append((customer.shop, UInt64(list) << 56 + UInt64(sort) << 48 + UInt64(value), customer))
                }
            }
        }
        rows.sort { ($0.shop, $0.place, $0.customer.account) < ($1.shop, $1.place, $1.customer.account) }
        return CanonicalTable("order", rows) { entry, row in
            row.key = RowKey(entry.shop, position: entry.place, and: entry.customer.account)
            entry.customer.row.encode(into: &row.value)
        }
    }

    private static func countTable(_ customers: [CustomerEntry]) -> CanonicalTable {
        var counts: [UInt128: [UInt64: UInt32]] = [:]
        for customer in customers where customer.row.visits > 0 {
            let (row, often) = (customer.row, customer.row.visits > 2)
            var pause = 21
            if row.visits > 1 {
                let (whole, rest) = (2 * (row.lastDay - row.firstDay)).quotientAndRemainder(dividingBy: row.visits - 1)
                pause = min(365, max(21, rest == 0 ? whole : whole + 1))
            }
            let lapse = row.lastDay + pause
            func key(_ count: UInt64, _ day: Int) -> UInt64 { count << 56 + (often ? 1 << 48 : 0) + UInt64(CustomerKey.value(day: day)) }
            var keys = [0, key(3, min(lapse, row.firstDay + 30)), key(4, lapse)]
            if row.nearlyFull > 0 { keys.append(1 << 56) }
            if row.full > 0 { keys.append(2 << 56) }
            for key in keys { counts[customer.shop, default: [:]][key, default: 0] += 1 }
        }
        let rows = counts.flatMap { shop, counts in counts.map { (shop: shop, key: $0.key, count: $0.value) } }
        return CanonicalTable("counts", rows.sorted { ($0.shop, $0.key) < ($1.shop, $1.key) }) { entry, row in
            row.set(RowKey(entry.shop, position: entry.key), number: entry.count)
        }
    }
}

/// The gains that are left after all reversals, with their days and present holders, in the order of the rows of visits.
struct DatedGains {
    struct Row {
        let shop, holder: UInt128
        let day: Int
        let id: UInt128
        /// The position of the card's opening.
        let opened: UInt64
        var count: Int

        func isSameVisit(as other: Row) -> Bool { shop == other.shop && holder == other.holder && day == other.day }
    }

    let rows: [Row]

    init(of replay: ReplayedCustomers, _ numbers: ReplayedNumbers) {
        let days = Self.days(of: replay, numbers)
        let left = Self.left(of: replay, days, numbers)
        var rows: [Row] = []
        for (place, gain) in replay.gains.enumerated() where left[place] > 0 {
            let (card, holder) = (numbers.cards[Int(gain.card)], numbers.holder(of: Int(gain.card)))
            if replay.erased.contains(holder) { continue }
            rows.append(
                Row(
                    shop: numbers.shops.ids[Int(gain.shop)], holder: holder, day: days[place], id: gain.id, opened: card.position,
                    count: Int(left[place])))
        }
        rows.sort { ($0.shop, $0.holder, $0.day, $0.id, $0.opened) < ($1.shop, $1.holder, $1.day, $1.id, $1.opened) }
        self.rows = rows
    }

    /// Each gain's day in the zone that its shop had then.
    private static func days(of replay: ReplayedCustomers, _ numbers: ReplayedNumbers) -> [Int] {
        var zones: [String: ReportZone] = [:]
        var last = [(quarter: Quarter?, zones: Int, day: Int)](repeating: (nil, 0, 0), count: numbers.shops.ids.count)
        return replay.gains.map { gain in
            let (shop, quarter) = (Int(gain.shop), Quarter(of: Instant(microseconds: gain.time)))
            let past = replay.zones[numbers.shops.ids[shop]] ?? []
            let known = past.prefix { $0.position < gain.position }.count
            if last[shop].quarter == quarter, last[shop].zones == known { return last[shop].day }
            let name = known == 0 ? ShopSchedule.defaultTimeZone : past[known - 1].name
            let zone = zones[name] ?? ReportZone(name: name) ?? .utc
            zones[name] = zone
            last[shop] = (quarter, known, zone.day(of: quarter.start))
            return last[shop].day
        }
    }

    /// How many of each gain are left. A reversal takes from the newest day first, and only from cards that had its card's holder then.
    private static func left(of replay: ReplayedCustomers, _ days: [Int], _ numbers: ReplayedNumbers) -> [Int32] {
        struct Code: Hashable {
            let shop: UInt32
            let id: UInt128
        }
        var left = replay.gains.map(\.count)
        let reversed = Set(replay.reversals.map { Code(shop: $0.shop, id: $0.id) })
        if reversed.isEmpty { return left }
        var places: [Code: [Int]] = [:]
        for (place, gain) in replay.gains.enumerated() {
            let code = Code(shop: gain.shop, id: gain.id)
            if reversed.contains(code) { places[code, default: []].append(place) }
        }
        func holder(_ card: UInt32, at position: UInt64) -> UInt128 {
            if let taker = numbers.takers[card], taker.position <= position { return taker.account }
            return numbers.cards[Int(card)].holder
        }
        for reversal in replay.reversals {
            let owner = holder(reversal.card, at: reversal.position)
            let known = (places[Code(shop: reversal.shop, id: reversal.id)] ?? []).filter {
                replay.gains[$0].position < reversal.position && holder(replay.gains[$0].card, at: reversal.position) == owner
            }
            var rest = reversal.count
            for place in known.sorted(by: { one, other in
                if days[one] != days[other] { return days[one] > days[other] }
                return numbers.cards[Int(replay.gains[one].card)].position < numbers.cards[Int(replay.gains[other].card)].position
            }) {
                let taken = min(rest, left[place])
                left[place] -= taken
                rest -= taken
            }
        }
        return left
    }
}
