internal import Loyalty
internal import LoyaltyCodec

extension PastAnswer {
    /// Lines for people: what was asked and when, then a field a line, or a row a line.
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
