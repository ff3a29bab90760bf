/// The order in which rows are written: by key, so that rows on the same page are written together.
package enum RowOrder {
    /// The indexes of things, grouped by shop and stably sorted within each. A shop's part is almost sorted by time, so this takes a
    /// fraction of the time of sorting all.
    @inline(__always)
    static func places(_ count: Int, by shops: NumberedIDs, shop: (Int) -> UInt32, isLess: (Int, Int) -> Bool) -> [UInt32] {
        let ranks = shops.ranks
        var dealt = DealtOut(count, among: ranks.count) { ranks[Int(shop($0))] }
        var order = [UInt32](repeating: 0, count: count)
        for place in 0..<count { order[dealt.place(for: ranks[Int(shop(place))])] = UInt32(place) }
        for part in dealt.shared { order[part].sort { isLess(Int($0), Int($1)) } }
        return order
    }

    /// Indexes of things in the order of their ids.
    @inlinable @inline(__always)
    package static func places(_ places: some Sequence<Int>, by id: (Int) -> UInt128) -> [UInt32] {
        // Moving an id takes less time than looking it up.
        var pairs = places.map { (id: id($0), place: UInt32($0)) }
        pairs.sort { $0.id < $1.id }
        return pairs.map(\.place)
    }
}

/// Finds the place of a 128-bit id in an array, by a hash table with open addressing. This look-up is half of the work of applying events,
/// so a multiplication replaces `Dictionary`'s SipHash.
@usableFromInline
package struct RowIndex: Sendable {
    @usableFromInline var keys: [UInt128]
    /// The place plus 1; 0 for an empty slot.
    @usableFromInline var places: [UInt32]
    @usableFromInline var mask: Int
    package private(set) var count = 0

    package init(capacity: Int = 1_024) {
        let slots = Self.slots(for: capacity)
        keys = [UInt128](repeating: 0, count: slots)
        places = [UInt32](repeating: 0, count: slots)
        mask = slots - 1
    }

    /// The place of an id; nil if it was never inserted.
    @inlinable @inline(__always)
    package func place(of id: UInt128) -> Int? {
        var slot = Self.hash(id) & mask
        while places[slot] != 0 {
            if keys[slot] == id { return Int(places[slot]) - 1 }
            slot = (slot + 1) & mask
        }
        return nil
    }

    /// Gives a new id the next place; the id MUST not have one.
    package mutating func insert(_ id: UInt128) -> Int {
        if count * 2 >= keys.count { grow() }
        store(id, UInt32(count + 1))
        count += 1
        return count - 1
    }

    private mutating func store(_ id: UInt128, _ place: UInt32) {
        var slot = Self.hash(id) & mask
        while places[slot] != 0 { slot = (slot + 1) & mask }
        keys[slot] = id
        places[slot] = place
    }

    private mutating func grow() {
        let (oldKeys, oldPlaces) = (keys, places)
        let slots = keys.count * 2
        keys = [UInt128](repeating: 0, count: slots)
        places = [UInt32](repeating: 0, count: slots)
        mask = slots - 1
        for slot in oldPlaces.indices where oldPlaces[slot] != 0 { store(oldKeys[slot], oldPlaces[slot]) }
    }

    private static func slots(for capacity: Int) -> Int {
        var slots = 16
        while slots < capacity * 2 { slots *= 2 }
        return slots
    }

    /// A hash of an id (Knuth, TAOCP 6.4). Mixes the upper bits, which vary more, into the lower ones, which select a slot.
    @inlinable @inline(__always)
    package static func hash(_ id: UInt128) -> Int {
        let low = UInt64(truncatingIfNeeded: id)
        let high = UInt64(truncatingIfNeeded: id >> 64)
        let mixed = (low ^ (high &* 0x9E37_79B9_7F4A_7C15)) &* 0xD6E8_FEB8_6659_FD93
        return Int(truncatingIfNeeded: mixed ^ (mixed >> 32))
    }
}
