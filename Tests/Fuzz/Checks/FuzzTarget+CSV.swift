@testable import TillImport

extension PieceByPiece: ByteSource {
    mutating func next() -> [UInt8] { next(atMost: .max) }
}

extension FuzzTarget {
    /// The maximum size of a record, small enough that the fuzzer exceeds it.
    private static let recordBytes = 64

    /// Checks that the borders between reads do not matter, and that records survive being written and read again.
    static func checkCSV(_ bytes: [UInt8]) throws(BrokenProperty) {
        let whole = try records(bytes, pieceBytes: bytes.count)
        for pieceBytes in [1, 7] {
            try BrokenProperty.unless(try records(bytes, pieceBytes: pieceBytes), is: whole, "read \(pieceBytes) bytes at a time")
        }
        let fields = whole.compactMap { try? $0.fields.get() }
        let again = try records(fields.flatMap(line), pieceBytes: 50, limit: .max)
        try BrokenProperty.unless(again.map { try? $0.fields.get() }, is: fields, "the records written again")
    }

    private static func records(_ bytes: [UInt8], pieceBytes: Int, limit: Int = recordBytes) throws(BrokenProperty) -> [CSVRecord] {
        var reader = RecordReader(PieceByPiece(bytes, pieceBytes: pieceBytes), limit: limit)
        var records: [CSVRecord] = []
        do {
            while let record = try reader.next() {
                records.append(record)
                if records.count > bytes.count { throw BrokenProperty(description: "more records than bytes") }
            }
        } catch { throw BrokenProperty(description: "\(error)") }
        return records
    }

    private static func line(_ fields: [String]) -> [UInt8] {
        let quote = UInt8(ascii: "\"")
        let quoted = fields.map { field in [quote] + field.utf8.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote] }
        return Array(quoted.joined(separator: [UInt8(ascii: ",")])) + [UInt8(ascii: "\n")]
    }
}
