/// A copy of a stored event with its position.
public struct SequencedEvent: Hashable, Sendable {
    /// The event's position.
    public let position: Position
    /// The event, with its tags sorted.
    public let event: NewEvent

    /// Combines an event and its position.
    public init(position: Position, event: NewEvent) {
        self.position = position
        self.event = event
    }

    /// The type of the event.
    public var type: EventType { event.type }
    /// The time of the event by the application's clock.
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
    /// The version of the payload's format, which the application's decoder interprets.
    public var schemaVersion: UInt16
    /// The time of the event by the application's clock.
    public var time: Timestamp
    /// The account that acted: an identifier that the application gives; 0 for none.
    public var actor: UInt128
    /// The tags by which the event can be found, in any order: at most ``LogLimits/tagsMax`` distinct ones. They are stored sorted and
    /// without duplicates.
    public var tags: [Tag]
    /// The application's data, in its own form. The whole record may have at most ``LogLimits/recordBytesMax`` bytes.
    public var payload: [UInt8]

    /// Creates an event to stage with an ``Appender``.
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

/// The time of an event, given by the application. The log itself never reads a clock for it.
///
/// The order of events is their ``Position``; times need not ascend.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Microseconds since 1970-01-01T00:00:00Z, without leap seconds; negative before.
    public let microseconds: Int64

    /// Creates a time from microseconds since 1970.
    @inlinable
    public init(microseconds: Int64) { self.microseconds = microseconds }

    /// Whether `left` is the earlier time.
    @inlinable
    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.microseconds < right.microseconds }
}
