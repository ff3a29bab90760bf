package import EventLog

/// Which event types somebody reads, asked for every record of a scan: one load in place of a hash.
package struct TypeFilter: Sendable {
    private let isWanted: [Bool]

    package init(_ types: some Sequence<EventType>) {
        var isWanted: [Bool] = []
        for type in types {
            let missing = Int(type.rawValue) + 1 - isWanted.count
            if missing > 0 { isWanted.append(contentsOf: repeatElement(false, count: missing)) }
            isWanted[Int(type.rawValue)] = true
        }
        self.isWanted = isWanted
    }

    @inline(__always)
    package func contains(_ type: EventType) -> Bool {
        let number = Int(type.rawValue)
        return number < isWanted.count && isWanted[number]
    }
}
