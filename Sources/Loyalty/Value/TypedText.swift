/// A text that a person typed, as an event holds it.
///
/// Decisions check at most its length, so they need no key.
public enum TypedText: Hashable, Sendable {
    /// In the clear: stored before such texts were sealed, or made without keys.
    case clear(String)
    /// Readable while the key of the shop or person that the text is about exists.
    case sealed(Sealed)
}

extension TypedText {
    /// The text, if it is in the clear.
    public var open: String? {
        if case .clear(let text) = self { text } else { nil }
    }
}

extension TypedText: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self = .clear(value) }
}

extension TypedText {
    /// The sealed text; nil for one in the clear.
    var sealed: Sealed? { if case .sealed(let sealed) = self { sealed } else { nil } }
}

extension FieldChecks {
    /// Checks a text in the clear by its characters. A sealed text was checked when it was sealed. Here only its bytes are checked, which
    /// bound the event record.
    mutating func require(_ text: TypedText, within limit: TextLimit, _ field: String) {
        switch text {
        case .clear(let text): require(text, within: limit, field)
        case .sealed(let sealed): require(Limits.sealedReasonBytes.contains(sealed.bytes.count), field, .tooLong)
        }
    }
}

/// Personal data in an event: encrypted under its owner's own data key, opaque here.
///
/// Destroying that key erases the data; the bytes stay.
public struct Sealed: Hashable, Sendable {
    public let bytes: [UInt8]

    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// The keyed hash of something that people type or hold: a stamp code, a redemption code, a phone number, a refresh token.
///
/// The log stores only this hash, and the key is kept outside the log. So a reader of the log cannot spend a code or learn a phone number.
public struct Secret: Hashable, Sendable {
    /// The first 128 bits of the keyed hash.
    public let value: UInt128

    @inlinable
    public init(_ value: UInt128) {
        self.value = value
    }

    /// Only the lower half is hashed, because every bit is random enough.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(UInt64(truncatingIfNeeded: value))
    }
}
