internal import LMDB
internal import Loyalty
internal import LoyaltyCodec
internal import Projections
internal import ReadModels

/// The state of a subject at a past moment: one row for an item, several for a table.
public struct PastAnswer: Hashable, Sendable {
    /// Such as `card card_01…` or `ratings`.
    public let subject: String
    public let moment: Moment
    /// Empty if the item did not exist then.
    public let rows: [[PastField]]
    public let isTable: Bool

    /// A table always exists, even if it is empty.
    public var isFound: Bool { isTable || !rows.isEmpty }
}

extension PastAnswer {
    /// One JSON object for each row, with the moment first; one object says so if the item did not exist.
    public var jsonLines: [String] {
        guard isFound else { return [JSONText.object(momentMembers + [("found", "false"), ("subject", JSONText.string(subject))])] }
        return rows.map { row in JSONText.object(momentMembers + row.map { ($0.name, Self.json($0.value)) }) }
    }

    private var momentMembers: [(name: String, value: String)] {
        [("position", "\(moment.position)"), ("time", JSONText.string(moment.clock.rfc3339))]
    }

    static func json(_ value: PastValue) -> String {
        switch value {
        case .none: "null"
        case .flag(let flag): "\(flag)"
        case .number(let number): "\(number)"
        case .decimal(let number): JSONText.number(number)
        case .word(let text), .text(let text): JSONText.string(text)
        case .list(let values): "[" + values.map(json).joined(separator: ",") + "]"
        case .record(let fields): JSONText.object(fields.map { ($0.name, json($0.value)) })
        }
    }
}

extension PastAnswer {
    /// Lines for people: the subject and the moment, then one line per row of a table or per field of an item.
    public var lines: [String] {
        let heading = "\(subject)  at position \(moment.position), \(moment.clock.rfc3339)"
        guard isFound else { return [heading + ": there was none"] }
        if isTable { return [heading] + rows.map { "  " + Self.inLine($0) } }
        return [heading] + rows.flatMap(Self.lines)
    }

    private static func lines(of row: [PastField]) -> [String] {
        let width = row.map(\.name.count).max() ?? 0
        return row.flatMap { field in
            let name = field.name + String(repeating: " ", count: width - field.name.count)
            if case .list(let values) = field.value, case .record? = values.first {
                return ["  \(name)  \(values.count)"] + values.map { "    " + plain($0) }
            }
            return ["  \(name)  \(plain(field.value))"]
        }
    }

    private static func inLine(_ fields: [PastField]) -> String {
        fields.map { "\($0.name)=\(plain($0.value))" }.joined(separator: " ")
    }

    static func plain(_ value: PastValue) -> String {
        switch value {
        case .none: "none"
        case .flag(let flag): flag ? "yes" : "no"
        case .number, .decimal, .text: json(value)
        case .word(let word): word
        case .list(let values): values.isEmpty ? "none" : values.map(plain).joined(separator: ",")
        case .record(let fields): inLine(fields)
        }
    }
}

/// A named value in an answer about the past.
public struct PastField: Hashable, Sendable {
    public let name: String
    public let value: PastValue

    init(_ name: String, _ value: PastValue) { (self.name, self.value) = (name, value) }

    static func id<Noun: Identified>(_ name: String, _ id: ID<Noun>) -> PastField { PastField(name, .word(id.text)) }

    static func ids<Noun: Identified>(_ name: String, _ ids: some Sequence<ID<Noun>>) -> PastField {
        PastField(name, .list(ids.map { .word($0.text) }))
    }

    static func time(_ name: String, _ time: Instant?) -> PastField {
        PastField(name, time.map { .word($0.rfc3339) } ?? .none)
    }

    static func number(_ name: String, _ number: Int?) -> PastField { PastField(name, number.map { .number($0) } ?? .none) }

    /// Typed text, or `sealed`.
    static func typed(_ name: String, _ text: TypedText) -> PastField {
        text.open.map { PastField(name, .text($0)) } ?? .sealed(name, true)
    }

    /// A query has no keys, so the field only shows whether personal data exists.
    static func sealed(_ name: String, _ isThere: Bool) -> PastField { PastField(name, isThere ? .word("sealed") : .none) }
}

/// One value of an answer, for people and programs.
public indirect enum PastValue: Hashable, Sendable {
    case none
    case flag(Bool)
    case number(Int)
    case decimal(Double)
    /// Needs no quotes: an id, a time or one of this program's words.
    case word(String)
    /// Text that people wrote, shown in quotes.
    case text(String)
    case list([PastValue])
    case record([PastField])
}

extension RowKey {
    var array: [UInt8] { [UInt8](copying: bytes) }
}
