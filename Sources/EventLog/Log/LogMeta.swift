internal import LMDB

/// What the table `meta` says about a log: that it is one, in which format, since when, and what it is called.
enum LogMeta {
    /// Key of ``magic``: what tells our environment from another program's.
    static let magicKey: [UInt8] = Array("magic".utf8)
    static let magic: [UInt8] = Array("GreenTea event log".utf8)
    /// Key of the format, u32: the layout of the tables, not of records, which carry their own.
    static let formatKey: [UInt8] = Array("format".utf8)
    static let format: UInt32 = 1
    /// Key of the moment of creation, i64, microseconds since 1970: handed in, never changed.
    static let createdKey: [UInt8] = Array("created".utf8)
    /// Key of the log's name in checkpoints, UTF-8: given at the first opening for writing, never changed.
    static let originKey: [UInt8] = Array("origin".utf8)

    /// The key of a value's guard: the same bytes, each bit inverted, for those who look for damage. Nothing else in a log could tell
    /// that its time of creation or its name has changed.
    static func guardKey(of key: [UInt8]) -> [UInt8] { key + " guard".utf8 }

    /// What may stand in the table beside the names.
    static let keys: Set<[UInt8]> = [
        magicKey, formatKey, createdKey, guardKey(of: createdKey), originKey, guardKey(of: originKey),
    ]

    /// What a new log says.
    static func entries(created: Timestamp) -> [(key: [UInt8], value: [UInt8])] {
        var formatBytes: [UInt8] = []
        formatBytes.append(littleEndian: format)
        var createdBytes: [UInt8] = []
        createdBytes.append(littleEndian: created.microseconds)
        return [
            (magicKey, magic), (formatKey, formatBytes), (createdKey, createdBytes), (guardKey(of: createdKey), createdBytes.map { ~$0 }),
        ]
    }

    /// The key of a type's name.
    static func key(of type: EventType) -> [UInt8] {
        [UInt8(ascii: "t"), UInt8(type.rawValue >> 8), UInt8(truncatingIfNeeded: type.rawValue)]
    }

    /// The key of a tag kind's name.
    static func key(of kind: TagKind) -> [UInt8] { [UInt8(ascii: "k"), kind.rawValue] }
}
