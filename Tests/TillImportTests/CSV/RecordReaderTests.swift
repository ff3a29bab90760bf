import Testing
@testable import TillImport

@Suite struct RecordReaderTests {
    private func records(_ bytes: [UInt8], piece: Int, limit: Int = 40) throws -> [CSVRecord] {
        var reader = RecordReader(TextBytes(bytes, piece: piece), limit: limit)
        var records: [CSVRecord] = []
        while let record = try reader.next() { records.append(record) }
        return records
    }

    private func record(_ line: Int, _ fields: String...) -> CSVRecord { CSVRecord(line: line, fields: .success(fields)) }

    private func fault(_ line: Int, _ fault: RecordFault) -> CSVRecord { CSVRecord(line: line, fields: .failure(fault)) }

    @Test("The records of a text are the same for every size of the pieces read", arguments: 1...12)
    func pieceSizes(_ piece: Int) throws {
        let text = "a,b\r\n\r\n\"c\nd\",e\n\nf,\"g\"\"h\"\ni,j"
        let expected = [record(1, "a", "b"), record(3, "c\nd", "e"), record(6, "f", "g\"h"), record(7, "i", "j")]
        #expect(try records(Array(text.utf8), piece: piece) == expected)
    }

    @Test("A byte order mark at the beginning is skipped", arguments: 1...5)
    func byteOrderMark(_ piece: Int) throws {
        #expect(try records([0xEF, 0xBB, 0xBF] + Array("a\nb".utf8), piece: piece) == [record(1, "a"), record(2, "b")])
        #expect(try records([0xEF, 0xBB, 0xBF], piece: piece) == [])
    }

    @Test("A broken record costs only its first line, and reading goes on at the next line", arguments: [1, 3, 100])
    func brokenRecord(_ piece: Int) throws {
        let text = "a,b\nc,\"d\ne,f\ng\"h\n\"i\"j\nk,l\n"
        let expected = [
            record(1, "a", "b"), fault(2, .textAfterQuote), record(3, "e", "f"), fault(4, .quoteInsideField), fault(5, .textAfterQuote),
            record(6, "k", "l"),
        ]
        #expect(try records(Array(text.utf8), piece: piece) == expected)
    }

    @Test("A quote that never closes is a fault of its line, and the lines after it are read")
    func openQuote() throws {
        let rows = (3...200).map { "row,\($0)\n" }.joined()
        let found = try records(Array(("a,b\nc,\"d\n" + rows).utf8), piece: 9)
        #expect(found.count == 200)
        #expect(found[1] == fault(2, .unclosedQuote))
        #expect(found[199] == record(200, "row", "200"))
    }

    @Test("A line far beyond the limit is one fault, and the line after it is read")
    func endlessLine() throws {
        let text = "a\n" + String(repeating: "x", count: 10_000) + "\nb\n"
        #expect(try records(Array(text.utf8), piece: 16) == [record(1, "a"), fault(2, .tooLong), record(3, "b")])
    }

    @Test("A source that is empty or has only blank lines has no records")
    func emptySource() throws {
        #expect(try records([], piece: 1) == [])
        #expect(try records(Array("\n\r\n\n".utf8), piece: 1) == [])
    }
}
