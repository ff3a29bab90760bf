internal import EventLog
internal import Loyalty
internal import LoyaltyCodec

/// One value of a row.
enum AnalystValue: Sendable {
    case none
    case text(String)
    case integer(Int)
    case number(Double)
    case boolean(Bool)
    case time(Instant)
    /// Text that is JSON already.
    case json(String)

    static func id<Noun: Identified>(_ id: ID<Noun>) -> AnalystValue { .text(id.text) }

    static func id<Noun: Identified>(_ id: ID<Noun>?) -> AnalystValue { id.map { .text($0.text) } ?? .none }

    static func position(_ position: UInt64) -> AnalystValue { .integer(Int(clamping: position)) }

    static func optional(_ number: Int?) -> AnalystValue { number.map { .integer($0) } ?? .none }

    static func optional(_ time: Instant?) -> AnalystValue { time.map { .time($0) } ?? .none }

    /// Sealed bytes as base64: no key is at hand here, and none may be.
    static func sealed(_ sealed: Sealed?) -> AnalystValue { sealed.map { .text(FactText.base64($0)) } ?? .none }

    /// The value as text, without any quotes.
    var text: String {
        switch self {
        case .none: ""
        case .text(let text), .json(let text): text
        case .integer(let number): String(number)
        case .number(let number): JSONText.number(number)
        case .boolean(let isTrue): isTrue ? "true" : "false"
        case .time(let time): time.rfc3339Exact
        }
    }
}
