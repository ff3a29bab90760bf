/// Words that somebody typed, as an event holds them.
///
/// Decisions look at their length at most, so they need no key.
public enum TypedText: Hashable, Sendable {
    /// Readable by whoever has the log: stored before such words were sealed, or made where there are no keys.
    case clear(String)
    /// Readable as long as the key of the shop or the person that the words are about exists.
    case sealed(Sealed)
}

extension TypedText {
    /// The words where they need no key.
    public var open: String? {
        if case .clear(let text) = self { text } else { nil }
    }
}

extension TypedText: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self = .clear(value) }
}

extension FieldChecks {
    /// Checks words in the clear by their characters. Sealed words were checked by whoever sealed them; here their bytes, which bound the
    /// event record.
    mutating func require(_ text: TypedText, within limit: TextLimit, _ field: String) {
        switch text {
        case .clear(let text): require(text, within: limit, field)
        case .sealed(let sealed): require(Limits.sealedReasonBytes.contains(sealed.bytes.count), field, "is too long")
        }
    }
}
