internal import Loyalty

/// One field of an event, as far as showing it goes.
enum FactValue {
    /// An id, a keyed hash, a moment or a word: safe without quotes on a line.
    case symbol(String)
    /// Several of those, in order.
    case symbols([String])
    /// What people wrote for the public, such as a shop's name.
    case text(String)
    case integer(Int)
    case degrees(Double)
    /// Never shown in clear: no key is at hand here, and none may be.
    case sealed(Sealed)

    static func typed(_ text: TypedText) -> FactValue {
        switch text {
        case .clear(let text): .text(text)
        case .sealed(let sealed): .sealed(sealed)
        }
    }

    static func id<Noun: Identified>(_ id: ID<Noun>) -> FactValue { .symbol(id.text) }
    static func secret(_ secret: Secret) -> FactValue { .symbol(Hex.text(secret.value)) }
    static func time(_ time: Instant) -> FactValue { .symbol(time.rfc3339) }
}
