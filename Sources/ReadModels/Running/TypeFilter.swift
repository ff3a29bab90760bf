package import EventLog

/// Which event types somebody reads, asked for every record of a scan: one bit in place of a hash.
package struct TypeFilter: Sendable {
    /// The types below 64, which are all that there are so far.
    private let low: UInt64
    /// All others.
    private let others: Set<EventType>

    package init(_ types: some Sequence<EventType>) {
        var (low, others): (UInt64, Set<EventType>) = (0, [])
        for type in types {
            if type.rawValue < 64 { low |= 1 << UInt64(type.rawValue) } else { others.insert(type) }
        }
        (self.low, self.others) = (low, others)
    }

    /// Whether events of this type are wanted.
    @inline(__always)
    package func contains(_ type: EventType) -> Bool {
        type.rawValue < 64 ? low >> UInt64(type.rawValue) & 1 == 1 : others.contains(type)
    }
}
