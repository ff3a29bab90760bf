/// A stored event and its place: a copy that may be kept.
public struct SequencedEvent: Hashable, Sendable {
    /// The event's position.
    public let position: Position
    /// The event, with its tags sorted.
    public let event: NewEvent

    /// Joins an event and its place.
    public init(position: Position, event: NewEvent) {
        self.position = position
        self.event = event
    }

    /// The type of the event.
    public var type: EventType { event.type }
    /// When, by the application's clock.
    public var time: Timestamp { event.time }
    /// The tags, ascending.
    public var tags: [Tag] { event.tags }
    /// The application's data.
    public var payload: [UInt8] { event.payload }
}

/// An event that has no position yet.
public struct NewEvent: Hashable, Sendable {
    /// The type of the event.
    public var type: EventType
    /// The version of the payload's form; the application's decoder knows what each means.
    public var schemaVersion: UInt16
    /// When, by the application's clock.
    public var time: Timestamp
    /// The actor: an identifier of the application, 0 for none.
    public var actor: UInt128
    /// The tags by which it can be found: in any order, at most ``LogLimits/tagsMax`` different ones. Stored sorted, a repeated one once.
    public var tags: [Tag]
    /// The rest, in the application's form. The whole record may have ``LogLimits/recordBytesMax`` bytes.
    public var payload: [UInt8]

    /// An event to be staged with an ``Appender``.
    public init(
        type: EventType, schemaVersion: UInt16 = 1, time: Timestamp, actor: UInt128 = 0, tags: [Tag] = [], payload: [UInt8] = []
    ) {
        self.type = type
        self.schemaVersion = schemaVersion
        self.time = time
        self.actor = actor
        self.tags = tags
        self.payload = payload
    }
}

/// A moment as events carry it: handed in by the application, never read from a clock here.
///
/// The order of events is their ``Position``; times need not ascend.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Microseconds since 1970-01-01T00:00:00Z, leap seconds not counted; negative before.
    public let microseconds: Int64

    /// A moment by its number of microseconds since 1970.
    @inlinable
    public init(microseconds: Int64) { self.microseconds = microseconds }

    /// Whether `left` is the earlier moment.
    @inlinable
    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.microseconds < right.microseconds }
}
