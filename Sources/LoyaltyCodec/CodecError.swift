/// Why bytes could not be turned into an event or a key, or an event into bytes.
///
/// It describes stored data, never a customer's input: its text is for the operator and the log, not for a client.
public struct CodecError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of trouble.
    public enum Code: Hashable, Sendable {
        /// The event type's number is not in `LoyaltySchema`.
        case unknownType
        /// The type is known, its schema version is not.
        case unknownVersion
        /// A tag that the type needs is missing, or one is there that it cannot have.
        case wrongTags
        /// The payload is not the Protocol Buffers message of its type and version.
        case damagedPayload
        /// A field's value is outside what it may be.
        case fieldOutOfRange
        /// A key or a wrapped key has the wrong form, or does not belong to this account or this master secret.
        case badKey
    }

    /// What kind of trouble it is.
    public let code: Code
    /// Where in the log the event stands; nil for an event on its way in and for keys.
    public internal(set) var position: UInt64?
    /// What was found, in English.
    public let detail: String

    init(_ code: Code, _ detail: String, position: UInt64? = nil) {
        self.code = code
        self.position = position
        self.detail = detail
    }

    /// What the operator can do about it.
    public var remedy: String {
        switch code {
        case .unknownType, .unknownVersion:
            "A newer program wrote this event; use that version or a later one to open the log."
        case .wrongTags, .damagedPayload, .fieldOutOfRange:
            position == nil
                ? "This is a defect of the program: it tried to record what it could not read back. Nothing was written."
                : "Check the log against its signed checkpoint (greentea-replay) and restore it from a backup where they differ."
        case .badKey:
            "Give the master secret under which this data was made: exactly 32 bytes, as 64 hexadecimal digits or as base64."
        }
    }

    /// Place, finding and remedy in one line.
    public var description: String {
        let place = position.map { "event \($0): " } ?? ""
        return "\(place)\(detail). \(remedy)"
    }

    /// The same trouble, known to stand at `position`.
    func at(_ position: UInt64) -> CodecError {
        CodecError(code, detail, position: position)
    }
}
