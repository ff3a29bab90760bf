internal import Loyalty
internal import LoyaltyCodec

extension PastAnswer {
    /// One JSON object for each row, in the order of its fields, behind the moment; without any row one that says so.
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
