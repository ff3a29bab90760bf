internal import LMDB
internal import Loyalty
internal import Projections
internal import ReadModels

extension ReplayedStatistics {
    func tables(_ cards: CardOrders) -> [CanonicalTable] {
        [cardTable(cards), staffTable(cards), firstTable(cards), codeTable, roomTable(cards)]
    }

    /// Works shop by shop. A shop's counts are nearly in the order of time.
    private func cardTable(_ cards: CardOrders) -> CanonicalTable {
        let (order, numbers, shops) = (cards.byShop, cards.numbers, cards.numbers.shops.ids)
        var dealt = DealtOut(cardCounts.count, among: order.ranks.count) { order.rank(ofCard: cardCounts[$0].number) }
        var counts = cardCounts
        for var count in cardCounts {
            let place = dealt.place(for: order.rank(ofCard: count.number))
            count.number = order.places[Int(count.number)]
            counts[place] = count
        }
        for part in dealt.shared { counts[part].sort { ($0.quarter, $0.number) < ($1.quarter, $1.number) } }
        counts.merge(where: { $0.number == $1.number && $0.quarter == $1.quarter }, by: { $0.add($1) })
        return CanonicalTable("cards", counts) { count, row in
            let card = order.cards[Int(count.number)]
            row.key = RowKey(shops[Int(card.shop)], position: count.quarter, and: card.id)
            let holder = count.isTaken ? numbers.holder(of: Int(order.numbers[Int(count.number)])) : card.holder
            count.activity(of: holder).encode(into: &row.value)
        }.joined(with: guestCards(cards.numbers)) { own, _ in own }
    }

    private func staffTable(_ cards: CardOrders) -> CanonicalTable {
        let (shops, ranks) = (cards.numbers.shops.ids, cards.byShop.ranks)
        var dealt = DealtOut(memberCounts.count, among: ranks.count) { ranks[Int(members[Int(memberCounts[$0].number)].shop)] }
        var counts = memberCounts
        for count in memberCounts { counts[dealt.place(for: ranks[Int(members[Int(count.number)].shop)])] = count }
        for part in dealt.shared {
            counts[part].sort { left, right in
                if left.quarter != right.quarter { return left.quarter < right.quarter }
                return members[Int(left.number)].account < members[Int(right.number)].account
            }
        }
        counts.merge(where: { $0.number == $1.number && $0.quarter == $1.quarter }, by: { $0.add($1) })
        return CanonicalTable("staff", counts) { [members] count, row in
            let member = members[Int(count.number)]
            row.key = RowKey(shops[Int(member.shop)], position: count.quarter, and: member.account)
            count.staffActivity.encode(into: &row.value)
        }
    }

    /// Computed after the whole log was folded.
    private func firstTable(_ cards: CardOrders) -> CanonicalTable {
        let (order, shops) = (cards.customers, cards.numbers.shops.ids)
        var firsts = [UInt64](repeating: .max, count: order.customers.count)
        for (number, card) in self.cards.enumerated() {
            let place = order.place(of: UInt32(number), formerFirsts[UInt32(number)] != nil)
            firsts[place] = min(firsts[place], card.first)
        }
        for (number, first) in formerFirsts {
            let place = order.place(of: number, false)
            firsts[place] = min(firsts[place], first)
        }
        let table = CanonicalTable("firsts", count: firsts.count) { [firsts] (index, row) in
            let customer = order.customers[index]
            row.set(RowKey(shops[Int(customer.shop)], and: customer.account), number: firsts[index])
        }
        guard !guests.isEmpty || !formerFirsts.isEmpty else { return table }
        // Cards that were used only at other shops give no visit here. Visits with other shops' cards are added afterwards.
        return table.without { $0.value.span.littleEndian64(at: 0) == .max }.joined(with: guestFirsts(cards.numbers)) { own, guest in
            own.span.littleEndian64(at: 0) <= guest.span.littleEndian64(at: 0) ? own : guest
        }
    }

    private var codeTable: CanonicalTable {
        CanonicalTable("codes", codes.entries.sorted { $0.key < $1.key }) { [members] entry, row in
            row.key = RowKey(entry.key)
            let issuer = AccountID(members[Int(entry.value.member)].account)
            OpenCode(issuer: issuer, stamps: Int(entry.value.stamps)).encode(into: &row.value)
        }
    }

    private func roomTable(_ cards: CardOrders) -> CanonicalTable {
        let numbers = cards.numbers
        return CanonicalTable("room", cards.byID.filter { self.cards[Int($0)].room > 0 }) { [cards = self.cards] number, row in
            row.set(RowKey(numbers.cards[Int(number)].id), number: UInt32(cards[Int(number)].room))
        }
    }
}
