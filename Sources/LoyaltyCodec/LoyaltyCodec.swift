public import EventLog
public import Loyalty

/// The wire form of GreenTea's events: the only place that knows how what happened becomes tags and bytes.
///
/// Tags hold identities and keyed hashes, payloads the rest (`Proto/events.proto`). Reading accepts what writing produces,
/// and of a payload any form that Protocol Buffers have for it, such as a field that is there twice: another tag, an unknown field or a
/// number out of range is an error, never a trap and never a guess.
public enum LoyaltyCodec {
    /// The event as the log takes it, at the newest schema version of its type.
    ///
    /// - Parameter mark: of the request that caused it; nil for an event that no client asked for.
    /// - Throws: `fieldOutOfRange` for a value that could not be read back. Decisions never let one through.
    public static func encode(
        _ event: LoyaltyEvent, by actor: AccountID, at time: Instant, mark: RequestMark?
    ) throws(CodecError) -> NewEvent {
        var draft = try event.draft()
        if let mark { draft.add(mark) }
        return NewEvent(
            type: EventType(draft.type.rawValue),
            schemaVersion: LoyaltySchema.currentVersion,
            time: Timestamp(microseconds: time.microseconds),
            actor: actor.value,
            tags: draft.tags,
            payload: draft.payload)
    }

    /// What a stored record says, read in place.
    ///
    /// - Throws: `CodecError` with the position: an unknown type or version, wrong tags, a damaged payload.
    public static func decode(_ record: borrowing Record, at position: Position) throws(CodecError) -> Fact {
        try fact(copy record, at: position)
    }

    /// What an owned copy of a stored event says.
    ///
    /// - Throws: as `decode(_:at:)`.
    public static func decode(_ event: SequencedEvent) throws(CodecError) -> Fact {
        try fact(event.event, at: event.position)
    }

    /// The marks of the request that caused the event; nil where none did.
    public static func mark(of record: borrowing Record) -> RequestMark? {
        (copy record).mark
    }

    /// The marks of the request that caused the event; nil where none did.
    public static func mark(of event: SequencedEvent) -> RequestMark? {
        event.event.mark
    }

    private static func fact(_ event: some StoredEvent & ~Escapable, at position: Position) throws(CodecError) -> Fact {
        do throws(CodecError) {
            return Fact(
                position: position.rawValue,
                time: Instant(microseconds: event.time.microseconds),
                actor: AccountID(event.actor),
                event: try LoyaltyEvent(stored: event))
        } catch {
            throw error.at(position.rawValue)
        }
    }
}
