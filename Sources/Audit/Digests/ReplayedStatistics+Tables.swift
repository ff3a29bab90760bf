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
        var dealt = DealtOut(cardCounts.count, among: order.ranks.count) { order.rank(ofCard: cardCounts[$0].card) }
        var counts = cardCounts
        for var count in cardCounts {
            let place = dealt.place(for: order.rank(ofCard: count.card))
            count.card = order.places[Int(count.card)]
            counts[place] = count
        }
        for part in dealt.shared { counts[part].sort { ($0.quarter, $0.card) < ($1.quarter, $1.card) } }
        counts.merge(where: { $0.card == $1.card && $0.quarter == $1.quarter }, by: { $0.add($1) })
        return CanonicalTable("cards", count: counts.count) { [counts] (index, row) in
            let count = counts[index]
            let card = order.cards[Int(count.card)]
            row.key = RowKey(shops[Int(card.shop)], position: count.quarter, and: card.id)
            let holder = count.isTaken ? numbers.holder(of: Int(order.numbers[Int(count.card)])) : card.holder
            let activity = CardActivity(
                of: AccountID(holder), stamps: Int(count.stamps), opened: Int(count.opened), filled: Int(count.filled),
                redeemed: Int(count.redeemed), reversed: Int(count.reversed),
                milestones: MilestoneActivity(redeemed: Int(count.milestones), reversed: Int(count.milestonesReversed)))
            activity.encode(into: &row.value)
        }.joined(with: guestCards(cards.numbers)) { own, _ in own }
    }

    private func staffTable(_ cards: CardOrders) -> CanonicalTable {
        let (shops, ranks) = (cards.numbers.shops.ids, cards.byShop.ranks)
        var dealt = DealtOut(memberCounts.count, among: ranks.count) { ranks[Int(members[Int(memberCounts[$0].member)].shop)] }
        var counts = memberCounts
        for count in memberCounts { counts[dealt.place(for: ranks[Int(members[Int(count.member)].shop)])] = count }
        for part in dealt.shared {
            counts[part].sort { left, right in
                if left.quarter != right.quarter { return left.quarter < right.quarter }
                return members[Int(left.member)].account < members[Int(right.member)].account
            }
        }
        counts.merge(where: { $0.member == $1.member && $0.quarter == $1.quarter }, by: { $0.add($1) })
        return CanonicalTable("staff", count: counts.count) { [counts, members] (index, row) in
            let count = counts[index]
            let member = members[Int(count.member)]
            row.key = RowKey(shops[Int(member.shop)], position: count.quarter, and: member.account)
            let activity = StaffActivity(
                codes: Int(count.codes), stamps: Int(count.stamps), redeemed: Int(count.redeemed), reversed: Int(count.reversed),
                milestones: MilestoneActivity(redeemed: Int(count.milestones), reversed: Int(count.milestonesReversed)))
            activity.encode(into: &row.value)
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
        let codes = codes.entries.sorted { $0.key < $1.key }
        return CanonicalTable("codes", count: codes.count) { [members] (index, row) in
            let (id, code) = codes[index]
            row.key = RowKey(id)
            let issuer = AccountID(members[Int(code.member)].account)
            OpenCode(issuer: issuer, stamps: Int(code.stamps)).encode(into: &row.value)
        }
    }

    private func roomTable(_ cards: CardOrders) -> CanonicalTable {
        let open = cards.byID.filter { self.cards[Int($0)].room > 0 }
        let numbers = cards.numbers
        return CanonicalTable("room", count: open.count) { [cards = self.cards] (index, row) in
            let number = Int(open[index])
            row.set(RowKey(numbers.cards[number].id), number: UInt32(cards[number].room))
        }
    }
}
