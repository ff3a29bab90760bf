public import EventLog
public import Loyalty

/// The wire form of GreenTea's events. Only this module knows how an event becomes tags and bytes.
///
/// Tags hold identities and keyed hashes, payloads the rest (`Proto/events.proto`). Decoding never traps and never guesses: a wrong tag, an
/// unknown field or a number out of range is an error.
public enum LoyaltyCodec {
    /// - Parameter mark: nil for an event that no client requested.
    /// - Throws: `fieldOutOfRange` or `wrongTags` for an event that could not be read back. Decisions never produce one.
    public static func encode(
        _ event: LoyaltyEvent, by actor: AccountID, at time: Instant, mark: RequestMark?
    ) throws(CodecError) -> NewEvent {
        var draft = try event.coded.event.draft()
        if let mark { draft.add(mark) }
        return NewEvent(
            type: EventType(draft.type.rawValue), schemaVersion: draft.type.currentVersion,
            time: Timestamp(microseconds: time.microseconds), actor: actor.value, tags: draft.tags, payload: draft.payload)
    }

    /// Decodes a stored record in place.
    ///
    /// - Throws: `CodecError` with the position.
    public static func decode(_ record: borrowing Record, at position: Position) throws(CodecError) -> Fact {
        try fact(copy record, at: position)
    }

    /// - Throws: as `decode(_:at:)`.
    public static func decode(_ event: SequencedEvent) throws(CodecError) -> Fact { try fact(event.event, at: event.position) }

    /// nil if no request caused the event.
    public static func mark(of record: borrowing Record) -> RequestMark? { (copy record).mark }

    public static func mark(of event: SequencedEvent) -> RequestMark? { event.event.mark }

    private static func fact(_ event: some StoredEvent & ~Escapable, at position: Position) throws(CodecError) -> Fact {
        do throws(CodecError) {
            return Fact(
                position: position.rawValue, time: Instant(microseconds: event.time.microseconds), actor: AccountID(event.actor),
                event: try LoyaltyEvent(stored: event))
        } catch {
            throw error.at(position.rawValue)
        }
    }
}

/// The reason why bytes could not be read or made; not for clients.
public struct CodecError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure.
    public enum Code: Hashable, Sendable {
        case unknownType
        case unknownVersion
        /// A required tag is missing, or a tag is present that the type cannot have.
        case wrongTags
        case damagedPayload
        case fieldOutOfRange
        /// A key or a nonce has the wrong form, or a key belongs to another account or master secret.
        case badKey
    }

    public let code: Code
    /// nil for an event that is not stored yet, and for a fault of a key.
    public internal(set) var position: UInt64?
    public let detail: String

    init(_ code: Code, _ detail: String, position: UInt64? = nil) { (self.code, self.position, self.detail) = (code, position, detail) }

    public var remedy: String {
        switch code {
        case .unknownType, .unknownVersion: "A newer program wrote this event; use that version or a later one to open the log."
        case .wrongTags, .damagedPayload, .fieldOutOfRange:
            position == nil
                ? "This is a defect of the program: it tried to record what it could not read back. Nothing was written."
                : "Check the log against its signed checkpoint (greentea-replay) and restore it from a backup where they differ."
        case .badKey: "Give the master key under which this data was made: exactly 32 bytes, as 64 hexadecimal digits or as base64."
        }
    }

    public var description: String {
        let place = position.map { "event \($0): " } ?? ""
        return "\(place)\(detail). \(remedy)"
    }

    func at(_ position: UInt64) -> CodecError { CodecError(code, detail, position: position) }
}

/// The hashes by which the service recognises a repeated request, which gets the first answer.
public struct RequestMark: Hashable, Sendable {
    /// Keyed hash of account and idempotency key, indexed.
    public let request: UInt128
    /// Keyed hash of account, idempotency key and content.
    ///
    /// The idempotency key makes this hash unguessable. Otherwise the log and the root secret would reveal an erased account's number by
    /// trial.
    public let digest: UInt128
    /// Hashed when asked for, because few requests are repeated.
    private let makeFormerDigest: (@Sendable () -> UInt128)?

    public init(request: UInt128, digest: UInt128) { self.init(request: request, digest: digest, formerDigest: nil) }

    init(request: UInt128, digest: UInt128, formerDigest: (@Sendable () -> UInt128)?) {
        (self.request, self.digest, makeFormerDigest) = (request, digest, formerDigest)
    }

    /// The hash of the content alone, from earlier releases; nil for a mark from the log.
    public var formerDigest: UInt128? { makeFormerDigest?() }

    public func isSame(as recorded: UInt128) -> Bool { recorded == digest || recorded == formerDigest }

    public static func == (left: RequestMark, right: RequestMark) -> Bool { (left.request, left.digest) == (right.request, right.digest) }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(request)
        hasher.combine(digest)
    }
}
