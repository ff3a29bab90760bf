public import EventLog
public import Loyalty

/// The wire form of GreenTea's events. Only this module knows how an event becomes tags and bytes.
///
/// Tags hold identities and keyed hashes; payloads hold the rest (`Proto/events.proto`). Decoding accepts everything that encoding
/// produces, and other encodings of the same payload that Protocol Buffers allow, such as a repeated field. A wrong tag, an unknown field
/// or a number out of range leads to an error. Decoding never traps and never guesses.
public enum LoyaltyCodec {
    /// The event in the form that the log appends, at the newest schema version of its type.
    ///
    /// - Parameter mark: the hashes of the request that caused the event; nil for an event that no client requested.
    /// - Throws: `fieldOutOfRange` for a value that could not be read back, `wrongTags` for an event that names its own shop as another
    ///   one. Decisions never produce such events.
    public static func encode(
        _ event: LoyaltyEvent, by actor: AccountID, at time: Instant, mark: RequestMark?
    ) throws(CodecError) -> NewEvent {
        var draft = try event.draft()
        if let mark { draft.add(mark) }
        return NewEvent(
            type: EventType(draft.type.rawValue),
            schemaVersion: draft.type.currentVersion,
            time: Timestamp(microseconds: time.microseconds),
            actor: actor.value,
            tags: draft.tags,
            payload: draft.payload)
    }

    /// Decodes a stored record in place.
    ///
    /// - Throws: `CodecError` with the position: an unknown type or version, wrong tags, a damaged payload.
    public static func decode(_ record: borrowing Record, at position: Position) throws(CodecError) -> Fact {
        try fact(copy record, at: position)
    }

    /// Decodes an owned copy of a stored event.
    ///
    /// - Throws: as `decode(_:at:)`.
    public static func decode(_ event: SequencedEvent) throws(CodecError) -> Fact {
        try fact(event.event, at: event.position)
    }

    /// The hashes of the request that caused the event; nil if no request caused it.
    public static func mark(of record: borrowing Record) -> RequestMark? {
        (copy record).mark
    }

    /// The hashes of the request that caused the event; nil if no request caused it.
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

/// The reason why bytes could not become an event or a key, or an event could not become bytes.
///
/// The error describes stored data, never a customer's input. Its text is for the operator and the log, not for a client.
public struct CodecError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure.
    public enum Code: Hashable, Sendable {
        /// The event type's number is not in `LoyaltySchema`.
        case unknownType
        /// The type is known, but its schema version is not.
        case unknownVersion
        /// A tag that the type requires is missing, or a tag is present that the type cannot have.
        case wrongTags
        /// The payload is not the Protocol Buffers message of its type and version.
        case damagedPayload
        /// A field's value is outside its allowed range.
        case fieldOutOfRange
        /// A key, a wrapped key or a nonce has the wrong form, or a key does not belong to this account or this master secret.
        case badKey
    }

    /// The kind of the failure.
    public let code: Code
    /// The event's position; nil for an event that is not stored yet, and for a fault of a key.
    public internal(set) var position: UInt64?
    /// The description of the failure, in English.
    public let detail: String

    init(_ code: Code, _ detail: String, position: UInt64? = nil) {
        self.code = code
        self.position = position
        self.detail = detail
    }

    /// The step that the operator should take next.
    public var remedy: String {
        switch code {
        case .unknownType, .unknownVersion:
            "A newer program wrote this event; use that version or a later one to open the log."
        case .wrongTags, .damagedPayload, .fieldOutOfRange:
            position == nil
                ? "This is a defect of the program: it tried to record what it could not read back. Nothing was written."
                : "Check the log against its signed checkpoint (greentea-replay) and restore it from a backup where they differ."
        case .badKey:
            "Give the master key under which this data was made: exactly 32 bytes, as 64 hexadecimal digits or as base64."
        }
    }

    /// The position, the detail and the remedy in one line.
    public var description: String {
        let place = position.map { "event \($0): " } ?? ""
        return "\(place)\(detail). \(remedy)"
    }

    /// A copy of this error with the position of the event.
    func at(_ position: UInt64) -> CodecError {
        CodecError(code, detail, position: position)
    }
}

/// The hashes of the request that caused an event. By these hashes the service recognises a repeated request, which gets the first answer.
public struct RequestMark: Hashable, Sendable {
    /// Keyed hash of account and idempotency key, the same for every attempt of one request. The tag index contains this hash.
    public let request: UInt128
    /// Keyed hash of account, idempotency key and the request's content. Other content under the same key is a client's mistake, not a
    /// retry.
    ///
    /// The idempotency key makes this hash unguessable. Content may be a phone number, and somebody with the log and the root secret could
    /// otherwise find out the number of an erased account by hashing all numbers.
    public let digest: UInt128
    /// The hash of the content alone, as earlier releases recorded it; nil for a mark that was read from the log.
    public let formerDigest: UInt128?

    /// Creates a mark of hashes that `Keys.mark` makes, or that the log has.
    public init(request: UInt128, digest: UInt128, formerDigest: UInt128? = nil) {
        self.request = request
        self.digest = digest
        self.formerDigest = formerDigest
    }

    /// Whether the request that was recorded with the same idempotency key had the same content. `recorded` is its digest, which this or an
    /// earlier release computed.
    public func isSame(as recorded: UInt128) -> Bool { recorded == digest || recorded == formerDigest }
}
