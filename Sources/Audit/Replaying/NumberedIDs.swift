internal import ReadModels

/// Ids, each with a small number of its own: from 0, in the order in which they came.
struct NumberedIDs: Sendable {
    /// By number.
    private(set) var ids: [UInt128] = []
    private var index: RowIndex

    /// Room for `capacity` ids before the first growth.
    init(capacity: Int = 1_024) {
        index = RowIndex(capacity: capacity)
    }

    /// The number of an id that has one.
    @inline(__always)
    func known(_ id: UInt128) -> Int? { index.place(of: id) }

    /// The number of an id, which gets the next one where it has none.
    @inline(__always)
    mutating func number(_ id: UInt128) -> Int {
        if let known = index.place(of: id) { return known }
        ids.append(id)
        return index.insert(id)
    }

    /// For each number, how many ids are less.
    var ranks: [Int] {
        var ranks = [Int](repeating: 0, count: ids.count)
        for (rank, number) in ids.indices.sorted(by: { ids[$0] < ids[$1] }).enumerated() { ranks[number] = rank }
        return ranks
    }
}
