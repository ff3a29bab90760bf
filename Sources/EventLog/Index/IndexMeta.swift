internal import LMDB

/// What the persistent index covers, and of which log: one entry of its table `meta`.
///
/// Layout: u64 position, u64 fingerprint of the record there, i64 creation of the log, then the indexed kinds. Little-endian.
struct IndexMeta: Hashable, Sendable {
    /// Ends in the number of the index's format: what has another key is not read, but made again.
    static let key: [UInt8] = Array("coverage 2".utf8)
    private static let kindsAt = 24

    /// Every event up to here is in the index, and none beyond.
    let position: UInt64
    /// Tells a log that was restored and went on differently from the one that was indexed.
    let fingerprint: UInt64
    /// When the log was created.
    let created: Timestamp
    /// The kinds that were indexed.
    let kinds: [UInt8]

    init(position: UInt64, fingerprint: UInt64, created: Timestamp, kinds: [UInt8]) {
        self.position = position
        self.fingerprint = fingerprint
        self.created = created
        self.kinds = kinds
    }

    init?(_ bytes: Span<UInt8>) {
        guard bytes.count >= Self.kindsAt else { return nil }
        position = bytes.littleEndian64(at: 0)
        fingerprint = bytes.littleEndian64(at: 8)
        created = Timestamp(microseconds: Int64(bitPattern: bytes.littleEndian64(at: 16)))
        var kinds: [UInt8] = []
        kinds.append(copying: bytes.extracting(droppingFirst: Self.kindsAt))
        self.kinds = kinds
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: position)
        bytes.append(littleEndian: fingerprint)
        bytes.append(littleEndian: created.microseconds)
        return bytes + kinds
    }

    /// FNV-1a, 64 bits, of a record: against mix-ups, not against an adversary.
    static func fingerprint(of bytes: Span<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in bytes.indices { hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01B3 }
        return hash
    }
}
