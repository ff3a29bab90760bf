internal import LMDB

/// A key of the persistent index: kind ‖ value ‖ type, each big-endian, so that all types of one tag stand together.
struct IndexKey: Sendable {
    static let count = 19
    private static let valueAt = 1
    private static let typeAt = 17

    private(set) var bytes = InlineArray<19, UInt8>(repeating: 0)

    /// The key of events of one type with a tag; type 0 gives the first key that a tag can have.
    init(_ tag: Tag, _ type: EventType) {
        var span = bytes.mutableSpan
        span[0] = tag.kind.rawValue
        span.store(bigEndian: tag.value, at: Self.valueAt)
        span.store(bigEndian: type.rawValue, at: Self.typeAt)
    }

    /// The type in a stored key, if the key is one of the tag's.
    static func type(in key: Span<UInt8>, of tag: Tag) -> EventType? {
        guard key.count == count, key[0] == tag.kind.rawValue, key.bigEndian128(at: valueAt) == tag.value else { return nil }
        return EventType(key.bigEndian16(at: typeAt))
    }
}
