/// The lists of postings to look up: the lists of one tag, for all event types or for some of them.
struct TagLists: Sendable {
    let tag: Tag
    /// The tag's hash, ``Tag/spread``.
    let spread: UInt64
    /// The event types whose lists are looked up, without duplicates; empty means all types.
    let types: [EventType]

    init(_ tag: Tag, _ types: [EventType]) {
        self.tag = tag
        spread = tag.spread
        self.types = types.count > 1 ? Array(Set(types)) : types
    }

    /// Creates the lists of one type or all types, for a tag whose hash (``Tag/spread``) is known already.
    init(_ tag: Tag, _ spread: UInt64, _ type: EventType?) {
        self.tag = tag
        self.spread = spread
        types = type.map { [$0] } ?? []
    }

    /// The key of the tag's entry for a type, given the first position in that entry.
    func key(_ type: EventType, _ position: UInt64) -> PostingKey {
        PostingKey(spread: spread, tag: tag, type: type, position: position)
    }

    /// False if a part certainly has none of these lists.
    func mayBe(in part: borrowing RunPart) -> Bool {
        if types.isEmpty { return part.mayHold(FilterMask(spread, nil)) }
        for type in types where part.mayHold(FilterMask(spread, type)) { return true }
        return false
    }
}

extension Tag {
    /// A fixed hash of all bits of the tag, by which runs are ordered, divided into parts and filtered.
    ///
    /// It only decides where a tag is searched. The tag itself is stored and compared in full, so that two tags with the same hash cost
    /// time but nothing else. The steps are those of common integer finalizers: multiply by an odd number, then fold the top bits down.
    var spread: UInt64 {
        var bits = UInt64(truncatingIfNeeded: value) ^ (UInt64(kind.rawValue) &* 0x9E37_79B9_7F4A_7C15)
        bits = (bits ^ (bits >> 32)) &* 0xD6E8_FEB8_6659_FD93
        bits ^= UInt64(truncatingIfNeeded: value >> 64) ^ (bits >> 29)
        bits = (bits ^ (bits >> 31)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 32)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}

/// The kinds of tags that are indexed: one flag for each number, so that the writer can test a kind quickly.
struct IndexedKinds: Sendable {
    private let flags: [Bool]

    init(_ schema: Schema) {
        var flags = [Bool](repeating: false, count: 256)
        for (kind, rule) in schema.tagKinds { flags[Int(kind.rawValue)] = rule.isIndexed }
        self.flags = flags
    }

    /// Reads the kinds that were stored with an index.
    init(_ bytes: [UInt8]) {
        var flags = [Bool](repeating: false, count: 256)
        for kind in bytes { flags[Int(kind)] = true }
        self.flags = flags
    }

    func contains(_ kind: TagKind) -> Bool { flags[Int(kind.rawValue)] }

    /// The indexed kinds, ascending. They are stored with the index, because an index for other kinds cannot be used.
    var bytes: [UInt8] { (UInt8.min...UInt8.max).filter { flags[Int($0)] } }
}
