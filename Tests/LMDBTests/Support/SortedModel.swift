/// The expected behaviour of a table of numbers in the simplest form: a sorted array.
struct SortedModel {
    private(set) var entries: [(key: UInt64, value: [UInt8])] = []

    /// The index of the first key not less than `key`.
    func index(of key: UInt64) -> Int { entries.firstIndex { $0.key >= key } ?? entries.count }

    func value(_ key: UInt64) -> [UInt8]? {
        let index = index(of: key)
        return index < entries.count && entries[index].key == key ? entries[index].value : nil
    }

    mutating func put(_ key: UInt64, _ value: [UInt8]) {
        let index = index(of: key)
        if index < entries.count && entries[index].key == key { entries.remove(at: index) }
        entries.insert((key, value), at: index)
    }

    mutating func delete(_ key: UInt64) -> Bool {
        let index = index(of: key)
        guard index < entries.count, entries[index].key == key else { return false }
        entries.remove(at: index)
        return true
    }

    mutating func removeAll() { entries = [] }
}
