internal import EventLog
internal import Loyalty
internal import LoyaltyCodec

/// A column of an exported table, and its value for an item.
struct TableColumn<Item>: Sendable {
    let column: AnalystColumn
    let value: @Sendable (Item) -> AnalystValue

    private init(_ name: String, _ type: AnalystType, _ about: String, _ value: @escaping @Sendable (Item) -> AnalystValue) {
        (column, self.value) = (AnalystColumn(name, type, about), value)
    }

    static func id<Noun: Identified & SendableMetatype>(
        _ name: String, _ about: String, _ id: @escaping @Sendable (Item) -> ID<Noun>?
    ) -> Self {
        Self(name, .text, about) { id($0).map { .text($0.text) } ?? .none }
    }

    static func text(_ name: String, _ about: String, _ text: @escaping @Sendable (Item) -> String?) -> Self {
        Self(name, .text, about) { text($0).map { .text($0) } ?? .none }
    }

    static func integer(_ name: String, _ about: String, _ number: @escaping @Sendable (Item) -> Int?) -> Self {
        Self(name, .integer, about) { number($0).map { .integer($0) } ?? .none }
    }

    static func position(_ name: String, _ about: String, _ position: @escaping @Sendable (Item) -> UInt64?) -> Self {
        Self(name, .integer, about) { position($0).map { .position($0) } ?? .none }
    }

    static func number(_ name: String, _ about: String, _ number: @escaping @Sendable (Item) -> Double?) -> Self {
        Self(name, .number, about) { number($0).map { .number($0) } ?? .none }
    }

    static func boolean(_ name: String, _ about: String, _ isTrue: @escaping @Sendable (Item) -> Bool) -> Self {
        Self(name, .boolean, about) { .boolean(isTrue($0)) }
    }

    static func time(_ name: String, _ about: String, _ time: @escaping @Sendable (Item) -> Instant?) -> Self {
        Self(name, .time, about) { time($0).map { .time($0) } ?? .none }
    }

    /// Sealed bytes as base64. An export has no keys to open them, and must not get any.
    static func sealed(_ name: String, _ about: String, _ sealed: @escaping @Sendable (Item) -> Sealed?) -> Self {
        Self(name, .text, about) { sealed($0).map { .text(FactText.base64($0)) } ?? .none }
    }
}

extension [Milestone] {
    /// The numbers of stamps of all milestones, separated by semicolons; nil if there are none.
    var stampsText: String? { isEmpty ? nil : map { "\($0.at)" }.joined(separator: ";") }
}
