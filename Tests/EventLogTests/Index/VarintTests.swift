import Testing

@testable import EventLog

@Suite struct VarintTests {
    private static let numbers: [UInt64] =
        [0, 1, 127, 128, 129, 255, 256, 16_383, 16_384, 16_385, .max - 1, .max] + (0..<64).flatMap { [1 << $0, (1 << $0) - 1] }

    @Test("A number is read back and has the announced length", arguments: numbers)
    func aNumberComesBackInAsManyBytesAsAnnounced(_ number: UInt64) {
        var bytes: [UInt8] = []
        bytes.append(varint: number)
        #expect(bytes.count == [UInt8].varintBytes(number))
        var (from, to) = (0, bytes.count)
        #expect(bytes.span.varint(at: &from) == number && from == bytes.count)
        #expect(bytes.span.varint(before: &to) == number && to == 0)
    }

    @Test("A row of numbers is read from both ends")
    func aRowOfNumbersIsReadFromBothEnds() {
        var bytes: [UInt8] = []
        for number in Self.numbers { bytes.append(varint: number) }
        var (from, to) = (0, bytes.count)
        var (forwards, backwards): ([UInt64], [UInt64]) = ([], [])
        while let number = bytes.span.varint(at: &from) { forwards.append(number) }
        while let number = bytes.span.varint(before: &to) { backwards.append(number) }
        #expect(forwards == Self.numbers && backwards == Self.numbers.reversed())
    }

    @Test("Bytes without an end are no number", arguments: [[], [0x80], [0xFF, 0xFF], [UInt8](repeating: 0xFF, count: 12)])
    func whatDoesNotEndIsNoNumber(_ bytes: [UInt8]) {
        var (from, to) = (0, bytes.count)
        #expect(bytes.span.varint(at: &from) == nil)
        #expect(bytes.span.varint(before: &to) == nil)
    }
}
