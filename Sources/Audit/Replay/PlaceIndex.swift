internal import ReadModels

/// A hash table that finds, by an element's id, the index of the element in a list that the caller has. It uses open addressing, and eight
/// bytes for each slot.
///
/// The table stores no ids, so a look-up usually reads one cache line of the table, and the element itself, which the caller needs anyway.
/// The caller decides whether the element at an index has the right id. The indices, called places, are assigned in order from 0, and never
/// removed.
struct PlaceIndex: Sendable {
    private static let placeBits: UInt64 = 32

    /// The slots: the hash in the upper half, and the place plus 1 in the lower half. A slot with 0 is empty.
    private var slots: [UInt64]
    private var mask: Int
    private(set) var count = 0

    /// Creates an index with room for `capacity` entries before it grows.
    init(capacity: Int = 1_024) {
        var size = 16
        while size < capacity * 2 { size *= 2 }
        slots = [UInt64](repeating: 0, count: size)
        mask = size - 1
    }

    /// The hash of an id, in the form that the other functions expect.
    @inline(__always)
    static func hash(_ id: UInt128) -> UInt32 { UInt32(truncatingIfNeeded: RowIndex.hash(id)) }

    /// The content of the slot at which the search for a hash begins. Reading the slot early brings it into the processor's cache.
    @inline(__always)
    func glance(_ hash: UInt32) -> UInt64 { slots[Int(hash) & mask] }

    /// The place that a slot's content names; -1 for an empty slot.
    @inline(__always)
    static func place(_ entry: UInt64) -> Int { Int(truncatingIfNeeded: entry & UInt64(UInt32.max)) - 1 }

    /// The place that has this hash and for which `isIt` returns true; nil if there is no such place.
    @inline(__always)
    func place(of hash: UInt32, where isIt: (_ place: Int) -> Bool) -> Int? {
        var slot = Int(hash) & mask
        while slots[slot] != 0 {
            if UInt32(truncatingIfNeeded: slots[slot] >> Self.placeBits) == hash {
                let place = Self.place(slots[slot])
                if isIt(place) { return place }
            }
            slot = (slot + 1) & mask
        }
        return nil
    }

    /// Adds an entry for a new element, and returns the element's place, which is the next free one.
    mutating func insert(_ hash: UInt32) -> Int {
        if count * 2 >= slots.count { grow() }
        count += 1
        store(UInt64(hash) << Self.placeBits | UInt64(count))
        return count - 1
    }

    private mutating func store(_ entry: UInt64) {
        var slot = Int(truncatingIfNeeded: entry >> Self.placeBits) & mask
        while slots[slot] != 0 { slot = (slot + 1) & mask }
        slots[slot] = entry
    }

    private mutating func grow() {
        let old = slots
        slots = [UInt64](repeating: 0, count: old.count * 2)
        mask = slots.count - 1
        for entry in old where entry != 0 { store(entry) }
    }
}
