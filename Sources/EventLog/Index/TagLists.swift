/// The lists of one tag to look up, for all types or some.
struct TagLists: Sendable {
    let tag: Tag
    let spread: UInt64
    /// Without duplicates; empty means all.
    let types: [EventType]

    init(_ tag: Tag, _ types: [EventType]) {
        self.tag = tag
        spread = tag.spread
        self.types = types.count > 1 ? Array(Set(types)) : types
    }

    init(_ tag: Tag, _ spread: UInt64, _ type: EventType?) {
        (self.tag, self.spread) = (tag, spread)
        types = type.map { [$0] } ?? []
    }

    func key(_ type: EventType, _ position: UInt64) -> PostingKey { PostingKey(spread: spread, tag: tag, type: type, position: position) }

    func mayBe(in part: borrowing RunPart) throws(EventLogError) -> Bool {
        if types.isEmpty { return try part.mayHold(FilterMask(spread, nil)) }
        for type in types where try part.mayHold(FilterMask(spread, type)) { return true }
        return false
    }
}

extension Tag {
    /// A fixed hash of the tag, by which runs are ordered, divided and filtered. Tags are compared in full, so a collision only costs time.
    var spread: UInt64 {
        var bits = UInt64(truncatingIfNeeded: value) ^ (UInt64(kind.rawValue) &* 0x9E37_79B9_7F4A_7C15)
        bits = (bits ^ (bits >> 32)) &* 0xD6E8_FEB8_6659_FD93
        bits ^= UInt64(truncatingIfNeeded: value >> 64) ^ (bits >> 29)
        bits = (bits ^ (bits >> 31)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 32)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}

/// One flag for each number, so that the test is quick.
struct IndexedKinds: Sendable {
    private let flags: [Bool]

    init(_ schema: Schema) {
        var flags = [Bool](repeating: false, count: 256)
        for (kind, rule) in schema.tagKinds { flags[Int(kind.rawValue)] = rule.isIndexed }
        self.flags = flags
    }

    init(_ bytes: [UInt8]) {
        var flags = [Bool](repeating: false, count: 256)
        for kind in bytes { flags[Int(kind)] = true }
        self.flags = flags
    }

    func contains(_ kind: TagKind) -> Bool { flags[Int(kind.rawValue)] }

    /// Stored with the index, because an index for other kinds cannot be used.
    var bytes: [UInt8] { (UInt8.min...UInt8.max).filter { flags[Int($0)] } }
}
