import Seeds
import Testing

@testable import Faults

@Suite struct DiskFileTests {
    private static let sector = Sectors.bytes

    private func bytes(_ value: UInt8, _ count: Int = DiskFileTests.sector) -> [UInt8] { Array(repeating: value, count: count) }

    /// The set of different contents that many simulated power cuts leave.
    private func contents(_ file: DiskFile, _ chance: Chance = .percent(50), cuts: Int = 300) -> Set<[UInt8]> {
        var random = SeededRandom(seed: 7)
        return Set((0..<cuts).map { _ in file.content(chance, &random) })
    }

    @Test("Flushed bytes survive whatever the chance of unflushed ones")
    func whatWasFlushedIsThereWhateverTheChance() {
        var file = DiskFile()
        file.write(bytes(1, 1_000), at: 0, number: 0)
        file.flush(1)
        for chance in Chance.all { #expect(contents(file, chance, cuts: 20) == [bytes(1, 1_000)]) }
    }

    @Test("Unflushed bytes survive or are lost sector by sector")
    func whatWasNotFlushedIsThereByTheSector() {
        var file = DiskFile()
        file.write(bytes(0, 2 * Self.sector), at: 0, number: 0)
        file.flush(1)
        file.write(bytes(9, 2 * Self.sector), at: 0, number: 1)
        let (old, new) = (bytes(0), bytes(9))
        #expect(contents(file) == [old + old, old + new, new + old, new + new])
        #expect(contents(file, .nothing) == [old + old])
        #expect(contents(file, .everything) == [new + new])
    }

    @Test("A sector may have any version since its flush")
    func aSectorMayHaveAnyVersionSinceItsFlush() {
        var file = DiskFile()
        for value in 0..<4 as Range<UInt8> { file.write(bytes(value), at: 0, number: Int(value)) }
        file.flush(2)
        #expect(contents(file) == [bytes(1), bytes(2), bytes(3)])
    }

    @Test("A flush covers no write that came after its begin")
    func aFlushCoversNothingThatCameAfterItsBegin() {
        var file = DiskFile()
        file.write(bytes(1), at: 0, number: 0)
        file.write(bytes(2), at: 0, number: 1)
        file.flush(1)
        #expect(contents(file, .nothing) == [bytes(1)])
    }

    @Test("A write-through flushes its own sectors and no others")
    func aWriteThroughTakesItsOwnSectorsAndNoOthers() {
        var file = DiskFile()
        file.write(bytes(0, 3 * Self.sector), at: 0, number: 0)
        file.flush(1)
        file.write(bytes(1), at: 0, number: 1)
        file.write(bytes(2, 100), at: 2 * Self.sector, number: 2)
        file.flush(write: 2 * Self.sector..<2 * Self.sector + 100, number: 2)
        let last = bytes(2, 100) + bytes(0, Self.sector - 100)
        #expect(contents(file) == [bytes(0, 2 * Self.sector) + last, bytes(1) + bytes(0) + last])
    }

    @Test("A write-through also flushes the older bytes of its sector")
    func aWriteThroughTakesTheOlderVersionsOfItsSectorAlong() {
        var file = DiskFile()
        file.write(bytes(1, 100), at: 0, number: 0)
        file.write(bytes(2, 50), at: 0, number: 1)
        file.flush(write: 0..<50, number: 1)
        #expect(contents(file) == [bytes(2, 50) + bytes(1, 50)])
    }

    @Test("A file that grew may have its old size, zeros or its new bytes")
    func aFileThatGrewMayHaveItsOldSizeOrZeros() {
        var file = DiskFile()
        file.write(bytes(1), at: 0, number: 0)
        file.flush(1)
        file.write(bytes(2), at: Self.sector, number: 1)
        #expect(contents(file) == [bytes(1), bytes(1) + bytes(0), bytes(1) + bytes(2)])
    }

    @Test("A file that was cut and rewritten may mix old and new sizes and bytes until it is flushed")
    func aFileCutAndWrittenAnewMayMixOldSizeAndNewBytes() {
        var file = DiskFile()
        file.write(bytes(7, 6), at: 0, number: 0)
        file.flush(1)
        file.resize(to: 0, number: 1)
        file.write(bytes(8, 10), at: 0, number: 2)
        let found = contents(file, cuts: 1_000)
        #expect(found.isSuperset(of: [bytes(7, 6), [], bytes(8, 6), bytes(8, 10), bytes(0, 6), bytes(7, 6) + bytes(0, 4)]))
        file.flush(3)
        #expect(contents(file) == [bytes(8, 10)])
    }

    @Test("Bytes that were cut off do not come back after a flush")
    func whatWasCutOffDoesNotComeBack() {
        var file = DiskFile()
        file.write(bytes(7, 100), at: 0, number: 0)
        file.resize(to: 10, number: 1)
        file.resize(to: 100, number: 2)
        file.flush(3)
        #expect(contents(file) == [bytes(7, 10) + bytes(0, 90)])
    }

    @Test("A mapped file keeps its size and may hold any bytes")
    func aMappedFileMayHoldAnything() {
        var file = DiskFile()
        file.resize(to: 64, number: 0)
        file.flush(1)
        file.map()
        let found = contents(file, cuts: 10)
        #expect(found.count == 10)
        #expect(found.allSatisfy { $0.count == 64 })
    }

    @Test(
        "A range of bytes is divided into the pieces of its sectors",
        arguments: [
            (0..<0, []), (0..<1, [0]), (0..<512, [0]), (511..<513, [0, 1]), (512..<1_536, [1, 2]), (1_000..<1_001, [1]),
        ])
    func aRangeLiesInTheseSectors(_ range: Range<Int>, _ sectors: [Int]) {
        let pieces = Sectors.pieces(of: range)
        #expect(pieces.map(\.sector) == sectors)
        #expect(pieces.reduce(0) { $0 + $1.range.count } == range.count)
    }
}
