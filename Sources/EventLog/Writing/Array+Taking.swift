extension Array {
    /// Everything; the array is empty then.
    mutating func taken() -> [Element] {
        defer { self = [] }
        return self
    }

    /// The first elements, at most `count`; the array keeps the rest.
    mutating func takenFirst(_ count: Int) -> [Element] {
        if self.count <= count { return taken() }
        defer { removeFirst(count) }
        return Array(prefix(count))
    }
}
