import Foundation
import Loyalty
import Testing

@testable import Audit
@testable import PastStates

/// The text encoding of exported rows.
@Suite struct AnalystTextTests {
    private static let columns = [
        AnalystColumn("a", .text, ""), AnalystColumn("b", .integer, ""), AnalystColumn("c", .number, ""), AnalystColumn("d", .boolean, ""),
        AnalystColumn("e", .time, ""), AnalystColumn("f", .json, ""),
    ]

    private func line(_ format: AnalystFormat, _ values: [AnalystValue]) -> String {
        var bytes: [UInt8] = []
        AnalystText(format, Self.columns).line(values, into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("Each type of value has its form in CSV and in JSON lines")
    func everyTypeHasItsForm() {
        let values: [AnalystValue] = [
            .text("茶"), .integer(-3), .number(4.25), .boolean(true), .time(Instant(microseconds: 1_000_000_000_000_001)),
            .json(#"{"x":1}"#),
        ]
        #expect(line(.csv, values) == "茶,-3,4.25,true,2001-09-09T01:46:40.000001Z,\"{\"\"x\"\":1}\"\r\n")
        #expect(line(.jsonl, values) == #"{"a":"茶","b":-3,"c":4.25,"d":true,"e":"2001-09-09T01:46:40.000001Z","f":{"x":1}}"# + "\n")
    }

    @Test("A missing value differs from an empty text in CSV and in JSON lines")
    func missingValue() {
        let (none, empty) = ([AnalystValue](repeating: .none, count: 6), [.text("")] + [AnalystValue](repeating: .none, count: 5))
        #expect(line(.csv, none) == ",,,,,\r\n")
        #expect(line(.csv, empty) == "\"\",,,,,\r\n")
        #expect(line(.jsonl, none) == #"{"a":null,"b":null,"c":null,"d":null,"e":null,"f":null}"# + "\n")
        #expect(line(.jsonl, empty) == #"{"a":"","b":null,"c":null,"d":null,"e":null,"f":null}"# + "\n")
    }

    @Test(
        "A CSV field is quoted only if it has a comma, a quote, a line break or white space at its start",
        arguments: [
            ("a,b", "\"a,b\""), ("say \"hi\"", "\"say \"\"hi\"\"\""), ("two\r\nlines", "\"two\r\nlines\""), (" edge", "\" edge\""),
            ("\tTab", "\"\tTab\""), ("plain", "plain"),
        ])
    func quotedFields(text: String, field: String) {
        #expect(line(.csv, [.text(text)] + [AnalystValue](repeating: .none, count: 5)) == field + ",,,,,\r\n")
    }

    @Test(
        "A text in a JSON line takes one line and is read back unchanged",
        arguments: ["quote \" and \\", "line\nline", "\u{1}\u{7F}\u{202E}", "🧋"])
    func jsonLinesAreJSON(text: String) throws {
        let line = line(.jsonl, [.text(text)] + [AnalystValue](repeating: .none, count: 5))
        #expect(line.filter { $0 == "\n" }.count == 1)
        let members = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(members["a"] as? String == text)
    }

    @Test(
        "An exported time keeps its microseconds",
        arguments: [(-1, "1969-12-31T23:59:59.999999Z"), (0, "1970-01-01T00:00:00.000000Z"), (1_000, "1970-01-01T00:00:00.001000Z")])
    func exactTimes(microseconds: Int64, text: String) { #expect(AnalystValue.time(Instant(microseconds: microseconds)).text == text) }

    @Test("Names are converted to snake case")
    func snakeCase() {
        #expect(AnalystColumn.snakeCase("codeSecret") == "code_secret" && AnalystColumn.snakeCase("card-progress") == "card_progress")
    }
}
