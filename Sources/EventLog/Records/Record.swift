public import LMDB

/// A stored record read in place: a view of bytes that live in the log's memory map.
///
/// Nothing is copied or decoded before it is asked for, so that reading the fields of a record costs a few loads. The view cannot
/// outlive the bytes: the compiler refuses to keep it. Take a ``event`` of it to keep one.
///
/// The bytes were checked when the view was made: every accessor is total.
public struct Record: ~Escapable {
    /// The record as it is stored, hashed and sent.
    public let bytes: Span<UInt8>
    /// How many tags there are, 0 to ``LogLimits/tagsMax``.
    public let tagCount: Int

    /// A view of bytes that hold a record.
    ///
    /// - Returns: nil when they do not: another format, a length or a count out of bounds, tags out of order.
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

    /// What happened.
    @inlinable public var type: EventType { EventType(bytes.littleEndian16(at: RecordLayout.typeAt)) }

    /// The version of the payload's form.
    @inlinable public var schemaVersion: UInt16 { bytes.littleEndian16(at: RecordLayout.schemaVersionAt) }

    /// When, by the application's clock.
    @inlinable public var time: Timestamp {
        Timestamp(microseconds: Int64(bitPattern: bytes.littleEndian64(at: RecordLayout.timeAt)))
    }

    /// Who did it; 0 for nobody.
    @inlinable public var actor: UInt128 { bytes.littleEndian128(at: RecordLayout.actorAt) }

    /// What the application added.
    public var payload: Span<UInt8> {
        @inlinable @_lifetime(copy self) get {
            bytes.extracting(droppingFirst: RecordLayout.tagsAt + tagCount * RecordLayout.tagBytes)
        }
    }
}
