/// Reads the records of a CSV file one after the other, with their line numbers. It needs memory for only one record and one chunk.
///
/// After a broken record, reading continues at the line after the record's first line. So one stray quotation mark does not spoil the rest
/// of the file. SwiftCSV 0.10.0 is not used, because it holds the whole file as one `String`, counts no lines and stops at the first wrong
/// quotation mark.
struct RecordReader<Source: ByteSource> {
    private static var byteOrderMark: [UInt8] { [0xEF, 0xBB, 0xBF] }

    private var source: Source
    private let limit: Int
    private var buffer: [UInt8] = []
    /// The index in `buffer` at which the next record begins.
    private var start = 0
    private var isAtEnd = false
    private var isBegun = false
    /// The line on which the next record begins.
    private var line = 1

    init(_ source: Source, limit: Int = Limits.recordBytesMax) {
        self.source = source
        self.limit = limit
    }

    /// Returns the next record; `nil` at the end. Empty lines are skipped.
    ///
    /// - Throws: errors of the source.
    mutating func next() throws -> CSVRecord? {
        if !isBegun { try begin() }
        while true {
            switch RecordParser.parse(buffer[start...], isWhole: isAtEnd, limit: limit) {
            case .record(let fields, let bytes, let lines):
                defer { line += lines }
                start += bytes
                return CSVRecord(line: line, fields: .success(fields))
            case .blankLine(let bytes):
                start += bytes
                line += 1
            case .fault(let fault):
                defer { line += 1 }
                try skipLine()
                return CSVRecord(line: line, fields: .failure(fault))
            case .needsMore: try refill()
            case .end: return nil
            }
        }
    }

    /// Skips a byte order mark, which some spreadsheets write.
    private mutating func begin() throws {
        isBegun = true
        while buffer.count < Self.byteOrderMark.count, !isAtEnd { try refill() }
        if buffer.starts(with: Self.byteOrderMark) { start = Self.byteOrderMark.count }
    }

    private mutating func refill() throws {
        buffer.removeFirst(start)
        start = 0
        let bytes = try source.next()
        if bytes.isEmpty { isAtEnd = true }
        buffer.append(contentsOf: bytes)
    }

    private mutating func skipLine() throws {
        while true {
            if let end = buffer[start...].firstIndex(of: UInt8(ascii: "\n")) {
                start = end + 1
                return
            }
            start = buffer.count
            guard !isAtEnd else { return }
            try refill()
        }
    }
}

/// One record of a CSV file, or its fault.
struct CSVRecord: Equatable {
    /// The line on which the record begins, from 1.
    let line: Int
    let fields: Result<[String], RecordFault>
}
