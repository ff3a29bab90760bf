internal import ReadModels

/// The customers of all shops, ordered by the shop's id and then by the account's id. The customers of a shop are the accounts that ever
/// had a card of the shop.
struct CustomerOrder: Sendable {
    /// A customer of a shop: an account that had a card of that shop.
    struct Customer: Sendable {
        let account: UInt128
        /// The position at which the account opened its first card at the shop.
        var position: UInt64
        /// The number that the replay gave to the shop.
        let shop: UInt32
    }

    /// The customers, ordered by shop id and then by account id.
    let customers: [Customer]
    /// For each card's number, the index of the person who opened the card in ``customers``.
    private let places: [UInt32]
    /// For each card that an account took over, by its number, the index of that account in ``customers``.
    private let taken: [UInt32: UInt32]

    init(_ numbers: ReplayedNumbers, _ order: ShopOrder) {
        var customers: [Customer] = []
        var taken: [UInt32: UInt32] = [:]
        var found = [UInt32](repeating: 0, count: order.cards.count)
        for (start, end) in zip(order.starts, order.starts.dropFirst()) where end > start {
            // The sorted list contains the holders' ids themselves, because moving an id while sorting takes less time than looking it up
            // by the card's place at each comparison.
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

    /// The index in ``customers`` of the person who has a card.
    ///
    /// - Parameter isTaken: whether to find the account that took the card over, and not the waiting person who had it before.
    @inline(__always)
    func place(of card: UInt32, _ isTaken: Bool) -> Int { Int(isTaken ? taken[card] ?? places[Int(card)] : places[Int(card)]) }

    /// The indices of all customers in ``customers``, ordered by account, and for one account by shop.
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

    /// Inserts a place (an index in ``customers``) into the sorted places of one account, which begin at `start`. Does nothing if the place
    /// is among them already. The search is linear, because an account has only a few places.
    private func insert(_ place: UInt32, into places: inout [UInt32], from start: Int) {
        var at = places.count
        while at > start, places[at - 1] > place { at -= 1 }
        if at > start, places[at - 1] == place { return }
        places.insert(place, at: at)
    }
}

/// Cards ordered by their shop's id and then by the card's id, so that the cards of a shop are consecutive.
struct ShopOrder: Sendable {
    /// The cards, ordered by shop id and then by card id.
    let cards: [NumberedCard]
    /// For each card, by the number that the replay gave to it, its index in ``cards``.
    let places: [UInt32]
    /// The number of each card in ``cards``, in the same order.
    let numbers: [UInt32]
    /// The rank of each card's shop, by the card's number; see ``ranks``.
    private let rankOfCard: [UInt32]
    /// The rank of a shop's id among all shops' ids, by the shop's number.
    let ranks: [Int]
    /// For each rank of a shop, the index in ``cards`` of that shop's first card. An additional last element is the number of all cards.
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

    /// The rank of the id of a card's shop.
    @inline(__always)
    func rank(ofCard number: UInt32) -> Int { Int(rankOfCard[Int(number)]) }
}

extension Array {
    /// Merges neighbouring elements that belong together.
    ///
    /// - Parameters:
    ///   - belong: whether the second element is merged into the first, which may already be the result of earlier merges.
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
