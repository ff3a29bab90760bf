internal import ReadModels

/// Values by 128-bit id, most of which go again soon: a hash table with open addressing.
///
/// `Dictionary` hashes with SipHash against hostile keys; ids are made by the service. Removing moves back what stands behind
/// (Knuth, TAOCP 6.4, algorithm R), so that no marks of removed entries gather.
struct IDMap<Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        let id: UInt128
        var value: Value
    }

    private var slots: [Entry?] = Array(repeating: nil, count: 1_024)
    private(set) var count = 0

    private var mask: Int { slots.count - 1 }

    /// Nil where there is none; setting nil removes.
    subscript(id: UInt128) -> Value? {
        @inline(__always) get {
            let slot = slot(of: id)
            return slots[slot]?.value
        }
        @inline(__always) set {
            if let newValue { put(newValue, id) } else { remove(id) }
        }
    }

    /// All entries, in no order.
    var entries: [(id: UInt128, value: Value)] { slots.compactMap { $0.map { ($0.id, $0.value) } } }

    private mutating func put(_ value: Value, _ id: UInt128) {
        if (count + 1) * 2 > slots.count { grow() }
        let slot = slot(of: id)
        if slots[slot] == nil { count += 1 }
        slots[slot] = Entry(id: id, value: value)
    }

    private mutating func remove(_ id: UInt128) {
        var hole = slot(of: id)
        guard slots[hole] != nil else { return }
        slots[hole] = nil
        count -= 1
        var next = (hole + 1) & mask
        while let entry = slots[next] {
            // An entry may move back only as far as the slot that it is looked for from.
            if (next - home(entry.id)) & mask >= (next - hole) & mask {
                slots[hole] = entry
                slots[next] = nil
                hole = next
            }
            next = (next + 1) & mask
        }
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: nil, count: old.count * 2)
        for case let entry? in old { slots[slot(of: entry.id)] = entry }
    }

    /// Where an id is, or the free slot where it would be.
    @inline(__always)
    private func slot(of id: UInt128) -> Int {
        var slot = home(id)
        while let entry = slots[slot], entry.id != id { slot = (slot + 1) & mask }
        return slot
    }

    @inline(__always)
    private func home(_ id: UInt128) -> Int { RowIndex.hash(id) & mask }
}
