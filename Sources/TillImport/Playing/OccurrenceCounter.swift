/// Numbers equal rows: the first, the second, … visit of one customer to one shop at one moment. Visits come in the order of
/// time, so one moment's are remembered.
struct OccurrenceCounter {
    private struct Holding: Hashable {
        let customer: Int32
        let shop: Int32
    }

    private var microseconds: Int64?
    private var counts: [Holding: Int] = [:]

    /// Which of the equal rows this is, from 1.
    mutating func number(of visit: Visit) -> Int {
        if microseconds != visit.microseconds {
            microseconds = visit.microseconds
            counts.removeAll(keepingCapacity: true)
        }
        counts[Holding(customer: visit.customer, shop: visit.shop), default: 0] += 1
        return counts[Holding(customer: visit.customer, shop: visit.shop)] ?? 1
    }
}
