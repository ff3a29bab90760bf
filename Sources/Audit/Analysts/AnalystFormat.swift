/// How tables are written for analysts.
public enum AnalystFormat: String, Sendable, CaseIterable {
    /// RFC 4180 in UTF-8: lines end with CRLF, the first has the names. Nothing between two commas is no value, `""` is empty text.
    case csv
    /// One JSON object on each line, with every column in it; `null` is no value.
    case jsonl
}
