/// Values by key, most of which go again soon: a hash table with open addressing.
///
/// Removing moves back what stands behind (Knuth, TAOCP 6.4, algorithm R), so that no marks of removed entries gather. It never
/// gives room back but in ``removeAll()``.
@usableFromInline
package struct KeyMap<Key: QuickKey, Value: Sendable>: Sendable {
    /// A key and its value.
    @usableFromInline
    package struct Entry: Sendable {
        @usableFromInline package let key: Key
        @usableFromInline package var value: Value

        @inlinable
        init(key: Key, value: Value) { (self.key, self.value) = (key, value) }
    }

    @usableFromInline var slots: [Entry?]
    /// How many keys have a value.
    @usableFromInline package private(set) var count = 0

    /// Empty, and small: behind a live log a batch has a few dozen changes, and a new map is made or emptied for each.
    @inlinable
    package init() { slots = Array(repeating: nil, count: 16) }

    @inlinable
    package var isEmpty: Bool { count == 0 }

    /// Nil where there is none; setting nil removes.
    @inlinable
    package subscript(key: Key) -> Value? {
        @inline(__always) get { slots[slot(of: key)]?.value }
        @inline(__always) set {
            if let newValue { put(newValue, key) } else { remove(key) }
        }
    }

    /// Changes a value in place, beginning with `initial` where there is none.
    @inlinable @inline(__always)
    package mutating func update(_ key: Key, default initial: @autoclosure () -> Value, _ body: (inout Value) -> Void) {
        var slot = slot(of: key)
        if slots[slot] == nil {
            slot = makeRoom(for: key, slot)
            slots[slot] = Entry(key: key, value: initial())
            count += 1
        }
        body(&slots[slot]!.value)
    }

    /// All entries, in no order.
    @inlinable
    package var entries: [(key: Key, value: Value)] {
        var entries: [(key: Key, value: Value)] = []
        entries.reserveCapacity(count)
        for case let entry? in slots { entries.append((entry.key, entry.value)) }
        return entries
    }

    /// Keeps the room of about as many as there were, for as many again.
    @inlinable
    package mutating func removeAll() {
        if slots.count > 16, count * 8 < slots.count {
            self = KeyMap()
        } else if count > 0 {
            for slot in slots.indices { slots[slot] = nil }
            count = 0
        }
    }

    @inlinable
    mutating func put(_ value: Value, _ key: Key) {
        var slot = slot(of: key)
        if slots[slot] == nil {
            slot = makeRoom(for: key, slot)
            count += 1
        }
        slots[slot] = Entry(key: key, value: value)
    }

    /// Where a new key goes; elsewhere than in the slot that was found for it where the table had to grow.
    @inlinable @inline(__always)
    mutating func makeRoom(for key: Key, _ slot: Int) -> Int {
        guard (count + 1) * 2 > slots.count else { return slot }
        grow()
        return self.slot(of: key)
    }

    @inlinable
    mutating func remove(_ key: Key) {
        let mask = slots.count - 1
        var hole = slot(of: key)
        guard slots[hole] != nil else { return }
        slots[hole] = nil
        count -= 1
        var next = (hole + 1) & mask
        while let entry = slots[next] {
            // An entry may move back only as far as the slot that it is looked for from.
            if (next - entry.key.quickHash & mask) & mask >= (next - hole) & mask {
                slots[hole] = entry
                slots[next] = nil
                hole = next
            }
            next = (next + 1) & mask
        }
    }

    @inlinable
    mutating func grow() {
        let old = slots
        slots = Array(repeating: nil, count: old.count * 2)
        for case let entry? in old { slots[slot(of: entry.key)] = entry }
    }

    /// Where a key is, or the free slot where it would be.
    @inlinable @inline(__always)
    func slot(of key: Key) -> Int {
        let mask = slots.count - 1
        var slot = key.quickHash & mask
        while let entry = slots[slot], entry.key != key { slot = (slot + 1) & mask }
        return slot
    }
}
