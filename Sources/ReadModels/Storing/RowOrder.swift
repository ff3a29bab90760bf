/// The order in which rows are written: that of their keys, so that neighbours are written while their page is at hand.
package enum RowOrder {
    /// Places of things whose keys begin with a shop: dealt out to the shops, then put in order within each.
    ///
    /// What one shop has of a batch is little and nearly in the order of time, so that this costs a fraction of sorting all of it.
    ///
    /// - Parameters:
    ///   - count: places from 0 up to this.
    ///   - shop: the number among `shops` of whose the thing at a place is.
    ///   - isLess: the order within one shop. Things that are alike keep theirs.
    @inline(__always)
    static func places(
        _ count: Int, by shops: NumberedIDs, shop: (Int) -> UInt32, isLess: (Int, Int) -> Bool
    ) -> [UInt32] {
        let ranks = shops.ranks
        var dealt = DealtOut(count, among: ranks.count) { ranks[Int(shop($0))] }
        var order = [UInt32](repeating: 0, count: count)
        for place in 0..<count { order[dealt.place(for: ranks[Int(shop(place))])] = UInt32(place) }
        for part in dealt.shared { order[part].sort { isLess(Int($0), Int($1)) } }
        return order
    }

    /// Places of things in the order of their ids.
    @inlinable @inline(__always)
    package static func places(_ places: some Sequence<Int>, by id: (Int) -> UInt128) -> [UInt32] {
        // Sorted with the ids beside them: looking each up where it stands takes longer than moving it.
        var pairs = places.map { (id: id($0), place: UInt32($0)) }
        pairs.sort { $0.id < $1.id }
        return pairs.map(\.place)
    }
}
