public import LMDB

/// A view of a record's bytes, in the log's memory map or in a batch of staged events.
///
/// The view cannot outlive the bytes; ``event`` copies the record. The bytes were checked when it was created, so no accessor can find them
/// damaged.
public struct Record: ~Escapable {
    /// The bytes as stored, hashed and sent.
    public let bytes: Span<UInt8>
    /// From 0 to ``LogLimits/tagsMax``.
    public let tagCount: Int

    /// Creates a view; nil if the bytes are no record: another format, a length or count out of bounds, or tags out of order.
    @inlinable
    @_lifetime(copy bytes)
    public init?(_ bytes: Span<UInt8>) {
        guard bytes.count >= RecordLayout.tagsAt, bytes.count <= LogLimits.recordBytesMax else { return nil }
        guard bytes[0] == RecordLayout.format, bytes.littleEndian16(at: RecordLayout.reservedAt) == 0 else { return nil }
        let tagCount = Int(bytes[RecordLayout.tagCountAt])
        guard tagCount <= LogLimits.tagsMax else { return nil }
        guard bytes.count >= RecordLayout.tagsAt + tagCount * RecordLayout.tagBytes else { return nil }
        self.bytes = bytes
        self.tagCount = tagCount
        guard tagsAscend else { return nil }
    }

    @inlinable public var type: EventType { EventType(bytes.littleEndian16(at: RecordLayout.typeAt)) }

    /// The version of the payload's format.
    @inlinable public var schemaVersion: UInt16 { bytes.littleEndian16(at: RecordLayout.schemaVersionAt) }

    /// The time of the event by the application's clock.
    @inlinable public var time: Timestamp { Timestamp(microseconds: Int64(bitPattern: bytes.littleEndian64(at: RecordLayout.timeAt))) }

    /// The account that acted; 0 for none.
    @inlinable public var actor: UInt128 { bytes.littleEndian128(at: RecordLayout.actorAt) }

    /// The application's data.
    public var payload: Span<UInt8> {
        @inlinable @_lifetime(copy self) get {
            bytes.extracting(droppingFirst: RecordLayout.tagsAt + tagCount * RecordLayout.tagBytes)
        }
    }
}

extension Record {
    /// One of the ascending tags; traps unless `index` is below ``tagCount``.
    @inlinable
    public func tag(at index: Int) -> Tag { Tag(kind(at: index), value(at: index)) }

    /// The value of the first tag of a kind.
    @inlinable
    public func value(of kind: TagKind) -> UInt128? {
        var index = 0
        while index < tagCount {
            if self.kind(at: index) == kind { return value(at: index) }
            index += 1
        }
        return nil
    }

    /// Whether the record has a tag.
    @inlinable
    public func has(_ tag: Tag) -> Bool {
        var index = 0
        while index < tagCount {
            if kind(at: index) == tag.kind, value(at: index) == tag.value { return true }
            index += 1
        }
        return false
    }

    var copiedBytes: [UInt8] {
        var copy: [UInt8] = []
        copy.append(copying: bytes)
        return copy
    }

    /// A copy of the record, which may be kept.
    public var event: NewEvent {
        var tags: [Tag] = []
        tags.reserveCapacity(tagCount)
        for index in 0..<tagCount { tags.append(tag(at: index)) }
        var payload: [UInt8] = []
        payload.append(copying: self.payload)
        return NewEvent(type: type, schemaVersion: schemaVersion, time: time, actor: actor, tags: tags, payload: payload)
    }

    /// Whether every tag is valid and greater than the one before; stored bytes are not trusted.
    @inlinable
    var tagsAscend: Bool {
        var last: UInt8 = 0
        var index = 0
        while index < tagCount {
            // Values are compared only for neighbours of the same kind, which is rare.
            let kind = kind(at: index).rawValue
            if kind <= last, kind < last || kind == 0 || value(at: index - 1) >= value(at: index) { return false }
            last = kind
            index += 1
        }
        return true
    }

    @inlinable
    func kind(at index: Int) -> TagKind { TagKind(bytes[RecordLayout.tagsAt + index * RecordLayout.tagBytes]) }

    @inlinable
    func value(at index: Int) -> UInt128 {
        precondition(index >= 0 && index < tagCount, "no such tag")
        return bytes.littleEndian128(at: RecordLayout.tagsAt + index * RecordLayout.tagBytes + 1)
    }
}
