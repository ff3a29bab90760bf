internal import ReadModels

/// A hash table from ids to list indices ("places"), with open addressing and eight bytes a slot.
///
/// It stores no ids, so a look-up reads one cache line and the element itself. The caller decides whether an element has the id. Places are
/// assigned in order from 0, and never removed.
struct PlaceIndex: Sendable {
    private static let placeBits: UInt64 = 32

    /// The hash in the upper half, the place plus 1 in the lower half; 0 is empty.
    private var slots: [UInt64]
    private var mask: Int
    private(set) var count = 0

    init(capacity: Int = 1_024) {
        var size = 16
        while size < capacity * 2 { size *= 2 }
        slots = [UInt64](repeating: 0, count: size)
        mask = size - 1
    }

    @inline(__always)
    static func hash(_ id: UInt128) -> UInt32 { UInt32(truncatingIfNeeded: RowIndex.hash(id)) }

    /// The first slot of a hash. An early read brings it into the cache.
    @inline(__always)
    func glance(_ hash: UInt32) -> UInt64 { slots[Int(hash) & mask] }

    /// -1 for an empty slot.
    @inline(__always)
    static func place(_ entry: UInt64) -> Int { Int(truncatingIfNeeded: entry & UInt64(UInt32.max)) - 1 }

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

    /// Adds an entry, and returns its place.
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
