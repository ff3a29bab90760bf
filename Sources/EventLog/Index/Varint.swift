/// Numbers in as few bytes as they need: seven bits a byte, the lowest first, the top bit set on all but the last (LEB128).
extension Span where Element == UInt8 {
    /// The number at `offset`, which moves behind it; nil when the bytes end first or it has more than 64 bits.
    @inline(__always)
    func varint(at offset: inout Int) -> UInt64? {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while offset < count, shift < 64 {
            let byte = self[offset]
            offset += 1
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
            shift += 7
        }
        return nil
    }

    /// The number that ends before `offset`, which moves to its beginning; nil where there is none.
    ///
    /// It can be read backwards because only a last byte has its top bit clear.
    @inline(__always)
    func varint(before offset: inout Int) -> UInt64? {
        guard offset > 0, offset <= count, self[offset - 1] < 0x80 else { return nil }
        var number = UInt64(self[offset - 1])
        offset -= 1
        while offset > 0, self[offset - 1] >= 0x80 {
            number = number << 7 | UInt64(self[offset - 1] & 0x7F)
            offset -= 1
        }
        return number
    }
}

extension Array where Element == UInt8 {
    /// Appends a number in as few bytes as it needs.
    @inline(__always)
    mutating func append(varint number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// Bytes that ``append(varint:)`` takes for a number.
    static func varintBytes(_ number: UInt64) -> Int { Swift.max(1, (70 - number.leadingZeroBitCount) / 7) }
}
