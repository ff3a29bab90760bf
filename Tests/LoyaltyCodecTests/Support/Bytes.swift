import EventLog
import Loyalty
import LoyaltyCodec
import Testing

/// Converts between events, the bytes of their records, and hexadecimal text.
enum Bytes {
    static func record(_ event: NewEvent) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try RecordEncoder.append(event, to: &bytes)
        return bytes
    }

    /// Decodes the bytes in place, as the log's readers do.
    static func decode(_ bytes: [UInt8], at position: UInt64) throws -> Fact {
        guard let record = Record(bytes.span) else { throw NotARecord() }
        return try LoyaltyCodec.decode(record, at: Position(position))
    }

    static func mark(_ bytes: [UInt8]) throws -> RequestMark? {
        guard let record = Record(bytes.span) else { throw NotARecord() }
        return LoyaltyCodec.mark(of: record)
    }

    static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }.joined()
    }

    static func bytes(hex: String) -> [UInt8] {
        let digits = hex.filter { !$0.isWhitespace }.compactMap { $0.hexDigitValue }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// Whether `haystack` contains `needle`.
    static func contains(_ haystack: [UInt8], _ needle: [UInt8]) -> Bool {
        !needle.isEmpty && haystack.indices.contains { haystack[$0...].starts(with: needle) }
    }

    struct NotARecord: Error {}
}
