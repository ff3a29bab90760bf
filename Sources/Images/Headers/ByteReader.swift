/// Reads numbers out of bytes that may be anybody's: what lies beyond the end reads as nil.
struct ByteReader {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var count: Int { bytes.count }

    func byte(_ offset: Int) -> Int? {
        bytes.indices.contains(offset) ? Int(bytes[offset]) : nil
    }

    /// A number of some bytes, the most significant first.
    func big(_ offset: Int, _ count: Int) -> Int? {
        number(offset, count) { $0 }
    }

    /// A number of some bytes, the least significant first.
    func little(_ offset: Int, _ count: Int) -> Int? {
        number(offset, count) { $0.reversed() }
    }

    /// Whether a text stands there.
    func has(_ text: String, at offset: Int) -> Bool {
        offset >= 0 && offset <= bytes.count && bytes[offset...].starts(with: text.utf8)
    }

    private func number(_ offset: Int, _ count: Int, _ order: ([UInt8]) -> [UInt8]) -> Int? {
        guard offset >= 0, offset <= bytes.count - count else { return nil }
        return order(Array(bytes[offset..<(offset + count)])).reduce(0) { $0 << 8 | Int($1) }
    }
}
