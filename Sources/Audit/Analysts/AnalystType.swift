/// What a column holds.
enum AnalystType: String, Sendable {
    /// An id as the API shows it, a keyed hash as hexadecimal digits, or words.
    case text
    case integer
    case number
    case boolean
    /// RFC 3339 in UTC with six digits after the second.
    case time
    /// An object.
    case json

    /// The type that DuckDB has for it, and with small differences every SQL.
    var sql: String {
        switch self {
        case .text: "VARCHAR"
        case .integer: "BIGINT"
        case .number: "DOUBLE"
        case .boolean: "BOOLEAN"
        case .time: "TIMESTAMP"
        case .json: "JSON"
        }
    }
}
