internal import ReadModels

/// Cards by their shops' ids, each shop's by their own: what a shop has stands together.
struct ShopOrder: Sendable {
    /// In this order.
    let cards: [NumberedCard]
    /// Where in the order the card of a number stands.
    let places: [UInt32]
    /// Which number the card at a place has.
    let numbers: [UInt32]
    /// By the number of a card what ``ranks`` says of its shop.
    private let rankOfCard: [UInt32]
    /// Where among all shops' ids that of a shop of a number comes.
    let ranks: [Int]
    /// For each rank where its cards begin, and behind the last one where they end.
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

    /// Where among all shops' ids that of a card's shop comes.
    @inline(__always)
    func rank(ofCard number: UInt32) -> Int { Int(rankOfCard[Int(number)]) }
}
