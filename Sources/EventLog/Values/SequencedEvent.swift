/// A copy of a stored event with its position.
public struct SequencedEvent: Hashable, Sendable {
    public let position: Position
    /// The event, with its tags sorted.
    public let event: NewEvent

    public init(position: Position, event: NewEvent) { (self.position, self.event) = (position, event) }

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
    public var type: EventType
    /// The version of the payload's format, for the application's decoder.
    public var schemaVersion: UInt16
    /// By the application's clock.
    public var time: Timestamp
    /// The account that acted, as the application identifies it; 0 for none.
    public var actor: UInt128
    /// At most ``LogLimits/tagsMax`` distinct tags, in any order, stored sorted and without duplicates.
    public var tags: [Tag]
    /// The application's data. The whole record has at most ``LogLimits/recordBytesMax`` bytes.
    public var payload: [UInt8]

    public init(type: EventType, schemaVersion: UInt16 = 1, time: Timestamp, actor: UInt128 = 0, tags: [Tag] = [], payload: [UInt8] = []) {
        (self.type, self.schemaVersion, self.time, self.actor, self.tags, self.payload) = (type, schemaVersion, time, actor, tags, payload)
    }
}

/// The time of an event, given by the application, never read from a clock. It need not ascend: ``Position`` orders events.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Microseconds since 1970-01-01T00:00:00Z, without leap seconds; negative before.
    public let microseconds: Int64

    @inlinable
    public init(microseconds: Int64) { self.microseconds = microseconds }

    @inlinable
    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.microseconds < right.microseconds }
}
