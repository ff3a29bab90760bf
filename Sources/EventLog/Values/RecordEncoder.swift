internal import LMDB

/// Encodes events as records, always the same bytes: tags are sorted and duplicates removed.
public enum RecordEncoder {
    /// Appends the record of an event to a buffer.
    ///
    /// - Throws: ``EventLogError`` `.tooManyTags`, `.recordTooLarge`, or `.schemaConflict` for a tag of kind 0; the buffer is unchanged.
    public static func append(_ event: NewEvent, to buffer: inout [UInt8]) throws(EventLogError) {
        if isAscending(event.tags) { return try append(event, tags: event.tags, to: &buffer) }
        var tags = event.tags.sorted()
        var kept = 0
        for tag in tags where kept == 0 || tags[kept - 1] != tag {
            tags[kept] = tag
            kept += 1
        }
        tags.removeLast(tags.count - kept)
        try append(event, tags: tags, to: &buffer)
    }

    private static func append(_ event: NewEvent, tags: [Tag], to buffer: inout [UInt8]) throws(EventLogError) {
        try check(event, tags)
        buffer.append(RecordLayout.format)
        buffer.append(UInt8(tags.count))
        buffer.append(littleEndian: event.type.rawValue)
        buffer.append(littleEndian: event.schemaVersion)
        buffer.append(littleEndian: UInt16(0))
        buffer.append(littleEndian: event.time.microseconds)
        buffer.append(littleEndian: event.actor)
        for tag in tags {
            buffer.append(tag.kind.rawValue)
            buffer.append(littleEndian: tag.value)
        }
        buffer.append(contentsOf: event.payload)
    }

    private static func check(_ event: NewEvent, _ tags: [Tag]) throws(EventLogError) {
        if tags.count > LogLimits.tagsMax { throw EventLogError(.tooManyTags, "\(tags.count) tags, at most \(LogLimits.tagsMax)") }
        if tags.first?.kind.rawValue == 0 { throw EventLogError(.schemaConflict, "a tag of kind 0") }
        let size = RecordLayout.tagsAt + tags.count * RecordLayout.tagBytes + event.payload.count
        if size > LogLimits.recordBytesMax { throw EventLogError(.recordTooLarge, "\(size) bytes, at most \(LogLimits.recordBytesMax)") }
    }

    private static func isAscending(_ tags: [Tag]) -> Bool {
        var index = 1
        while index < tags.count {
            if tags[index - 1] >= tags[index] { return false }
            index += 1
        }
        return true
    }
}

/// The layout of a stored record of format 1, in bytes, little-endian.
///
/// ```
///  0 u8  format = 1      1 u8  tag count        2 u16 type
///  4 u16 schema version  6 u16 reserved = 0     8 i64 time, microseconds since 1970
/// 16 u128 actor         32 tags: u8 kind, u128 value; ascending, no two alike
///  … payload to the end
/// ```
/// Records are hashed and kept forever, so this layout never changes; a different one needs a new format number.
@usableFromInline
enum RecordLayout {
    @usableFromInline static let format: UInt8 = 1
    @usableFromInline static let tagCountAt = 1
    @usableFromInline static let typeAt = 2
    @usableFromInline static let schemaVersionAt = 4
    @usableFromInline static let reservedAt = 6
    @usableFromInline static let timeAt = 8
    @usableFromInline static let actorAt = 16
    @usableFromInline static let tagsAt = 32
    @usableFromInline static let tagBytes = 17
}
