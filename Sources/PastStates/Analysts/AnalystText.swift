internal import EventLog
internal import Loyalty
internal import LoyaltyCodec

/// Writes rows as bytes, as CSV or as JSON lines.
struct AnalystText: Sendable {
    private static let quote = UInt8(ascii: "\"")

    let format: AnalystFormat
    private let columns: [AnalystColumn]
    /// The label before each value in a JSON line, such as `"name":`.
    private let labels: [[UInt8]]

    init(_ format: AnalystFormat, _ columns: [AnalystColumn]) {
        (self.format, self.columns) = (format, columns)
        labels = columns.map { Array((JSONText.string($0.name) + ":").utf8) }
    }

    /// Appends the header with the columns' names; nothing for JSON lines.
    func head(into bytes: inout [UInt8]) {
        guard format == .csv else { return }
        line(columns.map { .text($0.name) }, into: &bytes)
    }

    /// Appends one row, with a value for every column.
    func line(_ values: [AnalystValue], into bytes: inout [UInt8]) {
        format == .csv ? commas(values, into: &bytes) : object(values, into: &bytes)
    }

    private func commas(_ values: [AnalystValue], into bytes: inout [UInt8]) {
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            switch value {
            case .none: continue
            case .text(let text), .json(let text): Self.append(field: text, to: &bytes)
            default: bytes.append(contentsOf: value.text.utf8)
            }
        }
        bytes.append(contentsOf: [UInt8(ascii: "\r"), UInt8(ascii: "\n")])
    }

    private func object(_ values: [AnalystValue], into bytes: inout [UInt8]) {
        for (index, value) in values.enumerated() {
            bytes.append(index == 0 ? UInt8(ascii: "{") : UInt8(ascii: ","))
            bytes.append(contentsOf: labels[index])
            switch value {
            case .none: bytes.append(contentsOf: "null".utf8)
            case .text(let text): bytes.append(contentsOf: JSONText.string(text).utf8)
            case .time: bytes.append(contentsOf: "\"\(value.text)\"".utf8)
            default: bytes.append(contentsOf: value.text.utf8)
            }
        }
        bytes.append(contentsOf: "}\n".utf8)
    }

    /// Quotes a field if necessary, and also if it is empty, to distinguish empty text from no value.
    private static func append(field text: String, to bytes: inout [UInt8]) {
        guard text.isEmpty || text.utf8.contains(where: isSpecial) else { return bytes.append(contentsOf: text.utf8) }
        bytes.append(quote)
        for byte in text.utf8 {
            if byte == quote { bytes.append(quote) }
            bytes.append(byte)
        }
        bytes.append(quote)
    }

    /// Whether a byte requires quotes around the field. Spaces also require them, because some readers trim fields without quotes.
    private static func isSpecial(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ",") || byte == quote || byte <= UInt8(ascii: " ") }
}

/// One value of a row.
enum AnalystValue: Sendable {
    case none
    case text(String)
    case integer(Int)
    case number(Double)
    case boolean(Bool)
    case time(Instant)
    /// Text that is already JSON.
    case json(String)

    static func position(_ position: UInt64) -> AnalystValue { .integer(Int(clamping: position)) }

    /// The value as text, without quotes.
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
