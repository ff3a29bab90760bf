/// A bounded cache without book-keeping: two dictionaries. When the young one is full it becomes the old one, and what was not
/// asked for meanwhile is forgotten with the generation before.
package struct GenerationalCache<Key: Hashable, Value> {
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]
    private let limit: Int

    /// - Parameter limit: of values in each of two generations.
    package init(limit: Int) {
        self.limit = limit
    }

    /// The value, which thereby stays for another generation.
    package subscript(key: Key) -> Value? {
        mutating get {
            if let value = young[key] { return value }
            guard let value = old.removeValue(forKey: key) else { return nil }
            self[key] = value
            return value
        }
        set {
            if young.count >= limit, young[key] == nil {
                swap(&old, &young)
                young.removeAll(keepingCapacity: true)
            }
            young[key] = newValue
            if newValue == nil { old[key] = nil }
        }
    }

    /// Changes the value in place where it is held; does nothing where it is not.
    package mutating func update(_ key: Key, _ change: (inout Value) -> Void) {
        if let index = young.index(forKey: key) {
            change(&young.values[index])
        } else if var value = old.removeValue(forKey: key) {
            change(&value)
            self[key] = value
        }
    }
}

extension GenerationalCache: Sendable where Key: Sendable, Value: Sendable {}
