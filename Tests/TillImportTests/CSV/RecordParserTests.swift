import Testing
@testable import TillImport

@Suite struct RecordParserTests {
    typealias Outcome = RecordParser.Outcome

    static let wholes: [(text: String, outcome: Outcome)] = [
        ("a,b\n", .record(fields: ["a", "b"], bytes: 4, lines: 1)),
        ("a,b\r\nc", .record(fields: ["a", "b"], bytes: 5, lines: 1)),
        ("a,b", .record(fields: ["a", "b"], bytes: 3, lines: 0)),
        ("a,b\r", .record(fields: ["a", "b"], bytes: 4, lines: 1)),
        (",\n", .record(fields: ["", ""], bytes: 2, lines: 1)),
        ("a,", .record(fields: ["a", ""], bytes: 2, lines: 0)),
        (" a , b \n", .record(fields: [" a ", " b "], bytes: 8, lines: 1)),
        ("\"a,b\",\"c\"\"d\"\n", .record(fields: ["a,b", "c\"d"], bytes: 13, lines: 1)),
        ("\"a\nb\r\nc\"\r\n", .record(fields: ["a\nb\r\nc"], bytes: 10, lines: 3)),
        ("\"\"\n", .record(fields: [""], bytes: 3, lines: 1)),
        ("\"a\"", .record(fields: ["a"], bytes: 3, lines: 0)),
        ("a\rb\n", .record(fields: ["a\rb"], bytes: 4, lines: 1)),
        ("茶,🧋\n", .record(fields: ["茶", "🧋"], bytes: 9, lines: 1)),
        ("\n", .blankLine(bytes: 1)),
        ("\r\na", .blankLine(bytes: 2)),
        ("", .end),
        ("a\"b\n", .fault(.quoteInsideField)),
        ("\"a\"b\n", .fault(.textAfterQuote)),
        ("\"a\nb", .fault(.unclosedQuote)),
        ("\"", .fault(.unclosedQuote)),
    ]

    @Test("The parser returns the first record of a whole text, or its blank line, end or fault", arguments: wholes.indices)
    func readsTheFirstRecord(_ index: Int) {
        let (text, outcome) = Self.wholes[index]
        #expect(RecordParser.parse(Array(text.utf8)[...], isWhole: true) == outcome)
    }

    @Test("A record whose end is not yet read needs more input", arguments: ["", "a", "a,b", "a,b\r", "\"a", "\"a\"", "\"a\n"])
    func incomplete(_ text: String) {
        #expect(RecordParser.parse(Array(text.utf8)[...], isWhole: false) == .needsMore)
    }

    @Test("A record longer than the limit is a fault")
    func beyondLimit() {
        #expect(RecordParser.parse(Array("abcdef\n".utf8)[...], isWhole: true, limit: 5) == .fault(.tooLong))
        #expect(RecordParser.parse(Array("\"abcdef\"\n".utf8)[...], isWhole: true, limit: 5) == .fault(.unclosedQuote))
        #expect(RecordParser.parse(Array("abcd\nef".utf8)[...], isWhole: true, limit: 5) == .record(fields: ["abcd"], bytes: 5, lines: 1))
    }

    @Test("A record that is not UTF-8 is a fault")
    func invalidUTF8() {
        #expect(RecordParser.parse([0x61, 0xFF, 0x0A], isWhole: true) == .fault(.notUTF8))
    }
}
