/// A bounded cache of two generations, at most 2 × `limit` values. A full young generation replaces the old one. A look-up moves an old
/// value into the young one, so values in use stay without a list of recent uses.
@usableFromInline
package struct GenerationalCache<Key: Hashable, Value> {
    @usableFromInline var young: [Key: Value] = [:]
    @usableFromInline var old: [Key: Value] = [:]
    @usableFromInline let limit: Int

    /// - Parameter limit: values per generation.
    @inlinable
    package init(limit: Int) { self.limit = limit }

    /// Reading a value moves it into the young generation. Setting nil removes the key.
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

    /// Changes a value in place; does nothing if the key is not cached.
    @inlinable
    package mutating func update(_ key: Key, _ change: (inout Value) -> Void) {
        if let index = young.index(forKey: key) {
            change(&young.values[index])
        } else if var value = old.removeValue(forKey: key) {
            change(&value)
            self[key] = value
        }
    }

    /// A key that was set again counts in both generations.
    @inlinable
    package var count: Int { young.count + old.count }

    /// Removes every value.
    @inlinable
    package mutating func removeAll() { (young, old) = ([:], [:]) }
}

extension GenerationalCache: Sendable where Key: Sendable, Value: Sendable {}
