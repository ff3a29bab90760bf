/// A bounded cache of two generations.
///
/// New values go into the young generation. When the young generation is full, it becomes the old one, and the values of the previous old
/// generation are dropped. A look-up moves a value of the old generation into the young one. So the cache holds at most 2 × `limit` values,
/// keeps those that are in use, and needs no list of recent uses.
@usableFromInline
package struct GenerationalCache<Key: Hashable, Value> {
    @usableFromInline var young: [Key: Value] = [:]
    @usableFromInline var old: [Key: Value] = [:]
    @usableFromInline let limit: Int

    /// Creates an empty cache.
    ///
    /// - Parameter limit: the maximum number of values per generation.
    @inlinable
    package init(limit: Int) { self.limit = limit }

    /// The value of a key. Reading a value moves it into the young generation, so that it stays longer. Setting `nil` removes the key.
    @inlinable
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

    /// Changes a cached value in place. Does nothing if the key is not cached.
    @inlinable
    package mutating func update(_ key: Key, _ change: (inout Value) -> Void) {
        if let index = young.index(forKey: key) {
            change(&young.values[index])
        } else if var value = old.removeValue(forKey: key) {
            change(&value)
            self[key] = value
        }
    }

    /// The number of cached values in both generations. A key counts twice if it is in both, because it was set again.
    @inlinable
    package var count: Int { young.count + old.count }

    /// Removes every value.
    @inlinable
    package mutating func removeAll() { (young, old) = ([:], [:]) }
}

extension GenerationalCache: Sendable where Key: Sendable, Value: Sendable {}
