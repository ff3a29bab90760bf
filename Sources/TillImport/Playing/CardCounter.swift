/// Counts visits by customer and shop, to foresee which visit fills a card: then the run ends, so that the redemption stands
/// right behind that visit in the log.
///
/// A wrong guess, after an import of a part of the file, costs nothing but that place: whether a card is full is the log's word.
struct CardCounter {
    private struct Holding: Hashable {
        let customer: Int32
        let shop: Int32
    }

    let goal: Int
    private var counts: [Holding: Int32] = [:]

    init(goal: Int) {
        self.goal = goal
    }

    /// Counts a visit and says whether it should fill a card.
    mutating func fills(_ visit: Visit) -> Bool {
        let count = (counts[Holding(customer: visit.customer, shop: visit.shop)] ?? 0) + 1
        counts[Holding(customer: visit.customer, shop: visit.shop)] = count == goal ? 0 : count
        return count == goal
    }
}
