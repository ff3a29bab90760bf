/// Parses one record at the beginning of some bytes (RFC 4180, with LF as well as CRLF). Without state: with more bytes, it begins again.
struct RecordParser {
    enum Outcome: Equatable {
        case record(fields: [String], bytes: Int, lines: Int)
        case blankLine(bytes: Int)
        case fault(RecordFault)
        case needsMore
        case end
    }

    private static let quote = UInt8(ascii: "\"")
    private static let comma = UInt8(ascii: ",")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    private enum Ending {
        case comma
        case record
    }

    private let bytes: ArraySlice<UInt8>
    private let isWhole: Bool
    private let isTooLong: Bool
    private var place: Int
    private var fields: [String] = []
    private var lines = 0

    /// Parses the record with which the bytes begin.
    ///
    /// - Parameter isWhole: whether the file has no further bytes after these.
    static func parse(_ bytes: ArraySlice<UInt8>, isWhole: Bool, limit: Int = Limits.recordBytesMax) -> Outcome {
        guard !bytes.isEmpty else { return isWhole ? .end : .needsMore }
        var parser = RecordParser(bytes.prefix(limit), isWhole: isWhole && bytes.count <= limit, isTooLong: bytes.count > limit)
        do { return try parser.record() } catch { return error.outcome }
    }

    private enum Stop: Error {
        case fault(RecordFault)
        case outOfBytes

        var outcome: Outcome {
            switch self {
            case .fault(let fault): .fault(fault)
            case .outOfBytes: .needsMore
            }
        }
    }

    private init(_ bytes: ArraySlice<UInt8>, isWhole: Bool, isTooLong: Bool) {
        (self.bytes, self.isWhole, self.isTooLong) = (bytes, isWhole, isTooLong)
        place = bytes.startIndex
    }

    private mutating func record() throws(Stop) -> Outcome {
        repeat {
            let ending = try place < bytes.endIndex && bytes[place] == Self.quote ? quotedField() : plainField()
            if ending == .record { break }
        } while true
        let length = place - bytes.startIndex
        let isBlank = fields == [""] && bytes[bytes.startIndex] != Self.quote
        return isBlank ? .blankLine(bytes: length) : .record(fields: fields, bytes: length, lines: lines)
    }

    private mutating func plainField() throws(Stop) -> Ending {
        let start = place
        while place < bytes.endIndex {
            switch bytes[place] {
            case Self.quote: throw .fault(.quoteInsideField)
            case Self.comma, Self.lineFeed:
                try append(bytes[start..<place])
                return try ending()
            case Self.carriageReturn where try isLineEnd():
                try append(bytes[start..<place])
                return try ending()
            default: place += 1
            }
        }
        try requireEnd(orElse: .tooLong)
        try append(bytes[start..<place])
        return .record
    }

    private mutating func quotedField() throws(Stop) -> Ending {
        var text: [UInt8] = []
        place += 1
        while place < bytes.endIndex {
            let byte = bytes[place]
            if byte == Self.quote {
                if place + 1 == bytes.endIndex { try requireEnd(orElse: .unclosedQuote) }
                guard place + 1 < bytes.endIndex, bytes[place + 1] == Self.quote else {
                    place += 1
                    try append(text[...])
                    return try ending()
                }
                place += 1
            }
            if byte == Self.lineFeed { lines += 1 }
            text.append(byte)
            place += 1
        }
        try requireEnd(orElse: .unclosedQuote)
        throw .fault(.unclosedQuote)
    }

    private mutating func ending() throws(Stop) -> Ending {
        guard place < bytes.endIndex else {
            try requireEnd(orElse: .tooLong)
            return .record
        }
        switch bytes[place] {
        case Self.comma:
            place += 1
            return .comma
        case Self.lineFeed: place += 1
        case Self.carriageReturn where try isLineEnd(): place = min(place + 2, bytes.endIndex)
        default: throw .fault(.textAfterQuote)
        }
        lines += 1
        return .record
    }

    /// Whether the carriage return at the current byte ends the line: before a line feed, or as the file's last byte.
    private func isLineEnd() throws(Stop) -> Bool {
        if place + 1 < bytes.endIndex { return bytes[place + 1] == Self.lineFeed }
        try requireEnd(orElse: .tooLong)
        return true
    }

    /// Throws unless the bytes end at the file's end: `fault` if the record is too long, otherwise a request for more.
    private func requireEnd(orElse fault: RecordFault) throws(Stop) {
        if isTooLong { throw .fault(fault) }
        if !isWhole { throw .outOfBytes }
    }

    private mutating func append(_ field: ArraySlice<UInt8>) throws(Stop) {
        guard let text = String(validating: field, as: UTF8.self) else { throw .fault(.notUTF8) }
        fields.append(text)
    }
}

/// The reason why bytes are not a record.
enum RecordFault: Error, Equatable {
    case unclosedQuote
    case quoteInsideField
    case textAfterQuote
    case tooLong
    case notUTF8

    var reason: String {
        switch self {
        case .unclosedQuote: "a quote is opened and not closed"
        case .quoteInsideField: "a quote stands inside a field that is not quoted"
        case .textAfterQuote: "text follows a closing quote"
        case .tooLong: "the record is longer than \(Limits.recordBytesMax) bytes"
        case .notUTF8: "the record is not UTF-8"
        }
    }
}
