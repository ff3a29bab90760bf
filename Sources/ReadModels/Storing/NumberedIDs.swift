/// Ids, each with a small number of its own: from 0, in the order in which they came.
@usableFromInline
package struct NumberedIDs: Sendable {
    /// By number.
    @usableFromInline package private(set) var ids: [UInt128] = []
    @usableFromInline var index: RowIndex

    /// Room for `capacity` ids before the first growth.
    package init(capacity: Int = 1_024) {
        index = RowIndex(capacity: capacity)
    }

    /// The number of an id that has one.
    @inlinable @inline(__always)
    package func known(_ id: UInt128) -> Int? { index.place(of: id) }

    /// The number of an id, which gets the next one where it has none.
    @inlinable @inline(__always)
    package mutating func number(_ id: UInt128) -> Int { index.place(of: id) ?? add(id) }

    @usableFromInline
    mutating func add(_ id: UInt128) -> Int {
        ids.append(id)
        return index.insert(id)
    }

    /// For each number, how many ids are less.
    package var ranks: [Int] {
        var ranks = [Int](repeating: 0, count: ids.count)
        for (rank, number) in ids.indices.sorted(by: { ids[$0] < ids[$1] }).enumerated() { ranks[number] = rank }
        return ranks
    }
}
