/// A text that a person typed, in the form that an event stores.
///
/// Decisions check at most its length, so they need no key.
public enum TypedText: Hashable, Sendable {
    /// A text that is not sealed: it was stored before such texts were sealed, or by a service without keys.
    case clear(String)
    /// An encrypted text. It can be read while the key of the shop or person that the text is about exists.
    case sealed(Sealed)
}

extension TypedText {
    /// The text, if it is not sealed.
    public var open: String? {
        if case .clear(let text) = self { text } else { nil }
    }
}

extension TypedText: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self = .clear(value) }
}

extension TypedText {
    /// The sealed text; nil for an unsealed text.
    var sealed: Sealed? { if case .sealed(let sealed) = self { sealed } else { nil } }
}

extension FieldChecks {
    /// Checks an unsealed text by its characters. A sealed text was checked before it was sealed; here only its bytes are counted, which
    /// limits the size of the event.
    mutating func require(_ text: TypedText, within limit: TextLimit, _ field: String) {
        switch text {
        case .clear(let text): require(text, within: limit, field)
        case .sealed(let sealed): require(Limits.sealedReasonBytes.contains(sealed.bytes.count), field, .tooLong)
        }
    }
}

/// Personal data in an event, encrypted under the data key of the person or shop that it belongs to. This module cannot decrypt it.
///
/// When that key is destroyed, the data is erased, although its bytes stay in the log.
public struct Sealed: Hashable, Sendable {
    public let bytes: [UInt8]

    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// The keyed hash of something that people type or that clients store: a stamp code, a redemption code, a phone number, a refresh token.
///
/// The log stores only this hash, and the key is kept outside the log. So a reader of the log can neither use a code nor find out a phone
/// number.
public struct Secret: Hashable, Sendable {
    /// The first 128 bits of the keyed hash.
    public let value: UInt128

    @inlinable
    public init(_ value: UInt128) {
        self.value = value
    }

    /// Hashes the lower half only, which suffices because all bits are equally random.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(UInt64(truncatingIfNeeded: value))
    }
}
