internal import ReadModels

/// The customers of all shops, the accounts that ever had a card there, ordered by shop id and account id.
struct CustomerOrder: Sendable {
    struct Customer: Sendable {
        let account: UInt128
        var position: UInt64
        let shop: UInt32
    }

    let customers: [Customer]
    /// By card number, the index in ``customers`` of the person who opened the card.
    private let places: [UInt32]
    /// By card number, the index of the account that took the card over.
    private let taken: [UInt32: UInt32]

    init(_ numbers: ReplayedNumbers, _ order: ShopOrder) {
        var customers: [Customer] = []
        var taken: [UInt32: UInt32] = [:]
        var found = [UInt32](repeating: 0, count: order.cards.count)
        for (start, end) in zip(order.starts, order.starts.dropFirst()) where end > start {
            // The ids are sorted themselves, because a look-up at each comparison would take longer.
            var holders = (start..<end).map { (account: order.cards[$0].holder, place: $0, taken: UInt64?.none) }
            if !numbers.takers.isEmpty {
                for place in start..<end {
                    if let taker = numbers.takers[order.numbers[place]] { holders.append((taker.account, place, taker.position)) }
                }
            }
            holders.sort { $0.account < $1.account }
            var last: UInt128?
            for (account, place, takenAt) in holders {
                let card = order.cards[place]
                let position = takenAt ?? card.position
                if account == last {
                    customers[customers.count - 1].position = min(customers[customers.count - 1].position, position)
                } else {
                    customers.append(Customer(account: account, position: position, shop: card.shop))
                    last = account
                }
                if takenAt == nil {
                    found[place] = UInt32(customers.count - 1)
                } else {
                    taken[order.numbers[place]] = UInt32(customers.count - 1)
                }
            }
        }
        (self.customers, self.taken) = (customers, taken)
        places = order.places.map { found[Int($0)] }
    }

    /// - Parameter isTaken: whether to find the account that took the card over, and not the waiting person before it.
    @inline(__always)
    func place(of card: UInt32, _ isTaken: Bool) -> Int { Int(isTaken ? taken[card] ?? places[Int(card)] : places[Int(card)]) }

    /// All indices, ordered by account and then by shop.
    ///
    /// - Parameter byHolder: the numbers of all cards, in the order of the cards' holders.
    func places(byAccount byHolder: [UInt32]) -> [UInt32] {
        guard taken.isEmpty else {
            return customers.indices.sorted { (customers[$0].account, $0) < (customers[$1].account, $1) }.map { UInt32($0) }
        }
        var result: [UInt32] = []
        result.reserveCapacity(customers.count)
        var (start, account) = (0, UInt128.zero)
        for number in byHolder {
            let place = places[Int(number)]
            if result.isEmpty || customers[Int(place)].account != account {
                (start, account) = (result.count, customers[Int(place)].account)
            }
            insert(place, into: &result, from: start)
        }
        return result
    }

    /// Inserts a place into an account's sorted places, once. The search is linear, because an account has only a few.
    private func insert(_ place: UInt32, into places: inout [UInt32], from start: Int) {
        var at = places.count
        while at > start, places[at - 1] > place { at -= 1 }
        if at > start, places[at - 1] == place { return }
        places.insert(place, at: at)
    }
}

/// Cards ordered by shop id and card id, so that a shop's cards are consecutive.
struct ShopOrder: Sendable {
    let cards: [NumberedCard]
    let places: [UInt32]
    let numbers: [UInt32]
    private let rankOfCard: [UInt32]
    /// The rank of each shop's id, by the shop's number.
    let ranks: [Int]
    /// By rank, the index of the shop's first card. The last element is the number of all cards.
    let starts: [Int]

    init(_ all: ReplayedNumbers, _ byID: [UInt32]) {
        let (known, ranks) = (all.cards, all.shops.ranks)
        var dealt = DealtOut(known.count, among: ranks.count) { ranks[Int(known[$0].shop)] }
        var places = [UInt32](repeating: 0, count: known.count)
        var order = [UInt32](repeating: 0, count: known.count)
        for number in byID {
            let place = dealt.place(for: ranks[Int(known[Int(number)].shop)])
            places[Int(number)] = UInt32(place)
            order[place] = number
        }
        cards = order.map { known[Int($0)] }
        rankOfCard = known.map { UInt32(ranks[Int($0.shop)]) }
        (self.places, self.numbers, self.ranks, starts) = (places, order, ranks, dealt.starts)
    }

    @inline(__always)
    func rank(ofCard number: UInt32) -> Int { Int(rankOfCard[Int(number)]) }
}

extension Array {
    /// Merges neighbouring elements.
    ///
    /// - Parameters:
    ///   - belong: whether the second element is merged into the first, which may be the result of earlier merges.
    ///   - add: changes the first element to the merged one.
    @inline(__always)
    mutating func merge(where belong: (Element, Element) -> Bool, by add: (inout Element, Element) -> Void) {
        var kept = 0
        for place in indices.dropFirst() {
            if belong(self[kept], self[place]) {
                add(&self[kept], self[place])
            } else {
                kept += 1
                self[kept] = self[place]
            }
        }
        if kept + 1 < count { removeLast(count - kept - 1) }
    }
}
