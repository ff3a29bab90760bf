internal import LMDB
internal import Projections

/// A hash table with open addressing, for values of which most are removed soon (Knuth, TAOCP 6.4, algorithm R). Only ``removeAll()``
/// releases memory. Ids are hashed by a multiplication: `Dictionary`'s SipHash took half of the time of the model of statistics.
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
    @usableFromInline package private(set) var count = 0

    /// Creates a small table, because a batch of a live log has only a few dozen changes.
    @inlinable
    package init() { slots = Array(repeating: nil, count: 16) }

    @inlinable
    package var isEmpty: Bool { count == 0 }

    @inlinable
    package subscript(key: Key) -> Value? {
        @inline(__always) get { slots[slot(of: key)]?.value }
        @inline(__always) set {
            if let newValue { put(newValue, key) } else { remove(key) }
        }
    }

    /// Changes a value in place, after setting a missing one to `initial`.
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

    /// Removes all entries. Keeps the memory, unless less than an eighth of it was in use.
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
            // An entry may move back to the hole only if the hole is not before its hash's slot.
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

    @inlinable @inline(__always)
    func slot(of key: Key) -> Int {
        let mask = slots.count - 1
        var slot = key.quickHash & mask
        while let entry = slots[slot], entry.key != key { slot = (slot + 1) & mask }
        return slot
    }
}

/// Ids, numbered from 0 in the order in which they were added.
@usableFromInline
package struct NumberedIDs: Sendable {
    @usableFromInline package private(set) var ids: [UInt128] = []
    @usableFromInline var index: RowIndex

    package init(capacity: Int = 1_024) { index = RowIndex(capacity: capacity) }

    /// The number of an id; nil if it has none.
    @inlinable @inline(__always)
    package func known(_ id: UInt128) -> Int? { index.place(of: id) }

    /// The number of an id; a new id gets the next one.
    @inlinable @inline(__always)
    package mutating func number(_ id: UInt128) -> Int { index.place(of: id) ?? add(id) }

    @usableFromInline
    mutating func add(_ id: UInt128) -> Int {
        ids.append(id)
        return index.insert(id)
    }

    /// For each id's number, how many of the ids are smaller.
    package var ranks: [Int] {
        var ranks = [Int](repeating: 0, count: ids.count)
        for (rank, number) in ids.indices.sorted(by: { ids[$0] < ids[$1] }).enumerated() { ranks[number] = rank }
        return ranks
    }
}

/// The positions at which pairs of ids occur together, of which only the first of each pair is written.
public struct FirstPositions {
    private struct Entry {
        let pair: PairKey
        let position: UInt64
    }

    private var entries: [Entry] = []

    var count: Int { entries.count }

    mutating func note(_ first: UInt128, _ second: UInt128, at position: UInt64) {
        entries.append(Entry(pair: PairKey(first, second), position: position))
    }

    /// Writes the first position as little-endian u64 for each pair without a row, and removes all entries.
    @available(*, noasync)
    mutating func flush(into rows: inout RowWriter) throws(ReadModelError) {
        // Equal pairs stay in ascending order of positions, so the first is the earliest.
        entries.sort { $0.pair < $1.pair }
        var last: PairKey?
        for entry in entries where entry.pair != last {
            last = entry.pair
            let key = RowKey(entry.pair.first, and: entry.pair.second)
            if try rows.value(key, { _ in true }) ?? false { continue }
            var row: [UInt8] = []
            row.append(littleEndian: entry.position)
            try rows.put(key, row.span)
        }
        entries.removeAll(keepingCapacity: true)
    }
}

/// Divides the slots of an array among several owners, each with consecutive slots.
package struct DealtOut: Sendable {
    /// The first slot of each owner; the last element is the number of all slots.
    package let starts: [Int]
    @usableFromInline var next: [Int]

    @inlinable @inline(__always)
    package init(_ count: Int, among owners: Int, _ owner: (Int) -> Int) {
        var counts = [Int](repeating: 0, count: owners + 1)
        for thing in 0..<count { counts[owner(thing) + 1] += 1 }
        for number in 0..<owners { counts[number + 1] += counts[number] }
        (starts, next) = (counts, counts)
    }

    /// The next free slot of an owner. Things that are added in order stay in order.
    @inlinable @inline(__always)
    package mutating func place(for owner: Int) -> Int {
        let place = next[owner]
        next[owner] = place + 1
        return place
    }

    /// The slots of owners with two or more things, which alone need sorting.
    package var shared: some Sequence<Range<Int>> { zip(starts, starts.dropFirst()).lazy.filter { $1 - $0 > 1 }.map { $0..<$1 } }
}

/// Two ids, ordered like the row keys that are made of them.
@usableFromInline
package struct PairKey: QuickKey, Comparable {
    @usableFromInline package let first: UInt128
    @usableFromInline package let second: UInt128

    @inlinable
    package init(_ first: UInt128, _ second: UInt128) { (self.first, self.second) = (first, second) }

    @inlinable @inline(__always)
    package var quickHash: Int { RowIndex.hash(first) ^ RowIndex.hash(second &+ 1) }

    @inlinable
    package static func < (left: PairKey, right: PairKey) -> Bool {
        left.first == right.first ? left.second < right.second : left.first < right.first
    }
}

/// A key that the service itself makes, with a faster hash than `Dictionary`'s SipHash, which resists an attacker's keys.
@usableFromInline
package protocol QuickKey: Equatable, Sendable {
    /// Its lowest bits MUST vary, because the table uses only these. Equal keys MUST have equal hashes.
    var quickHash: Int { get }
}

extension UInt128: QuickKey {
    @inlinable @inline(__always)
    package var quickHash: Int { RowIndex.hash(self) }
}
