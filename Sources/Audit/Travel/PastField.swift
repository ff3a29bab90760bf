internal import Loyalty
internal import LoyaltyCodec

/// A named value, in the order in which it is shown.
public struct PastField: Hashable, Sendable {
    public let name: String
    public let value: PastValue

    init(_ name: String, _ value: PastValue) {
        (self.name, self.value) = (name, value)
    }

    static func id<Noun: Identified>(_ name: String, _ id: ID<Noun>) -> PastField { PastField(name, .word(id.text)) }

    static func ids<Noun: Identified>(_ name: String, _ ids: some Sequence<ID<Noun>>) -> PastField {
        PastField(name, .list(ids.map { .word($0.text) }))
    }

    static func time(_ name: String, _ time: Instant?) -> PastField {
        PastField(name, time.map { .word($0.rfc3339) } ?? .none)
    }

    static func number(_ name: String, _ number: Int?) -> PastField { PastField(name, number.map { .number($0) } ?? .none) }

    /// Words that somebody typed, where they are in the clear.
    static func typed(_ name: String, _ text: TypedText) -> PastField {
        text.open.map { PastField(name, .text($0)) } ?? .sealed(name, true)
    }

    /// Personal data: that there is some is all that can be said without a key.
    static func sealed(_ name: String, _ isThere: Bool) -> PastField { PastField(name, isThere ? .word("sealed") : .none) }
}
