/// A text that a person typed, as an event stores it.
public enum TypedText: Hashable, Sendable {
    /// From an older version, or from a service without keys.
    case clear(String)
    /// Readable while the data key of its shop or person exists.
    case sealed(Sealed)
}

extension TypedText {
    public var open: String? { if case .clear(let text) = self { text } else { nil } }
}

extension TypedText: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self = .clear(value) }
}

extension TypedText {
    var sealed: Sealed? { if case .sealed(let sealed) = self { sealed } else { nil } }
}

extension FieldChecks {
    /// A sealed text was checked before sealing; only its size is checked, which bounds the event.
    mutating func require(_ text: TypedText, within limit: TextLimit, _ field: String) {
        switch text {
        case .clear(let text): require(text, within: limit, field)
        case .sealed(let sealed): require(Limits.sealedReasonBytes.contains(sealed.bytes.count), field, .tooLong)
        }
    }
}

/// Personal data, encrypted under the data key of its person or shop, whose destruction erases it.
public struct Sealed: Hashable, Sendable {
    public let bytes: [UInt8]

    public init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// The keyed hash of a code, a phone number or a refresh token, which a reader of the log cannot use or invert.
public struct Secret: Hashable, Sendable {
    public let value: UInt128

    @inlinable
    public init(_ value: UInt128) { self.value = value }

    /// All bits are equally random.
    @inlinable
    public func hash(into hasher: inout Hasher) { hasher.combine(UInt64(truncatingIfNeeded: value)) }
}
