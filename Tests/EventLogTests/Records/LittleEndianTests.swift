import LMDB
import Testing

/// The number encoding used by records and keys: every width, every offset, and the order of bytes.
@Suite struct LittleEndianTests {
    private let bytes: [UInt8] = (1...40).map { UInt8($0) }

    /// The number that bytes represent, computed arithmetically.
    private func number(_ range: Range<Int>, big: Bool = false) -> UInt128 {
        let part = bytes[range]
        return (big ? Array(part) : part.reversed()).reduce(0) { $0 << 8 | UInt128($1) }
    }

    @Test("Numbers are read at each offset")
    func loadsAtEveryOffset() {
        let span = bytes.span
        for offset in 0...24 {
            #expect(UInt128(span.littleEndian16(at: offset)) == number(offset..<offset + 2))
            #expect(UInt128(span.littleEndian32(at: offset)) == number(offset..<offset + 4))
            #expect(UInt128(span.littleEndian64(at: offset)) == number(offset..<offset + 8))
            #expect(span.littleEndian128(at: offset) == number(offset..<offset + 16))
            #expect(span.bigEndian128(at: offset) == number(offset..<offset + 16, big: true))
        }
    }

    @Test("An appended number is read back")
    func whatIsAppendedIsWhatIsLoaded() {
        var written: [UInt8] = [9]
        written.append(littleEndian: UInt16(0x0201))
        written.append(littleEndian: Int64(-2))
        written.append(littleEndian: UInt128(1) << 127 | 3)
        written.append(copying: bytes.span)
        #expect(Array(written[..<4]) == [9, 1, 2, 0xFE] && written.count == 27 + 40 && Array(written[27...]) == bytes)
        let (negative, large) = (written.span.littleEndian64(at: 3), written.span.littleEndian128(at: 11))
        #expect(Int64(bitPattern: negative) == -2 && large == UInt128(1) << 127 | 3)
    }

    @Test("Keys in big-endian order are ordered as their numbers")
    func keysAreOrderedLikeNumbers() {
        let numbers: [UInt128] = [0, 1, 255, 256, 1 << 64, 1 << 127, .max]
        let keys = numbers.map { number in
            var key = [UInt8](repeating: 0, count: 17)
            var span = key.mutableSpan
            span.store(bigEndian: number, at: 1)
            return key
        }
        for index in 1..<keys.count { #expect(keys[index - 1].lexicographicallyPrecedes(keys[index])) }
        for (key, number) in zip(keys, numbers) { #expect(key.span.bigEndian128(at: 1) == number) }
    }
}
