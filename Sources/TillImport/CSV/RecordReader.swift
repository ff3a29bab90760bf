/// Reads the records of a CSV file with their line numbers, in the memory of one record and one chunk.
///
/// After a broken record, reading continues at the line after its first, so one stray quotation mark does not spoil the file. SwiftCSV
/// 0.10.0 stops there.
struct RecordReader<Source: ByteSource> {
    private static var byteOrderMark: [UInt8] { [0xEF, 0xBB, 0xBF] }

    private var source: Source
    private let limit: Int
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false
    private var isBegun = false
    private var line = 1

    init(_ source: Source, limit: Int = Limits.recordBytesMax) { (self.source, self.limit) = (source, limit) }

    /// The next record; nil at the end. Skips empty lines. Throws errors of the source.
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
    /// The record's first line, from 1.
    let line: Int
    let fields: Result<[String], RecordFault>
}
