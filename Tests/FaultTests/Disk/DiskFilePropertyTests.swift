import Seeds
import Testing

@testable import Faults

/// Compares the simulated disk with the simplest model of a file: an array of bytes.
@Suite struct DiskFilePropertyTests {
    @Test("Random writes without loss give the file that the program saw")
    func randomWritesWithoutLossGiveTheFileThatTheProgramSaw() {
        var random = SeededRandom.announced("randomWritesWithoutLoss")
        for _ in 0..<100 {
            var (file, plain) = (DiskFile(), [UInt8]())
            for number in 0..<random.int(1...30) { step(number, &file, &plain, &random) }
            #expect(file.size == plain.count)
            // The contents are compared outside the expectation, because a failed expectation would print a thousand bytes.
            let (seen, number) = (file.content(.everything, &random) == plain, plain.count)
            #expect(seen, "\(number) bytes")
            file.flush(.max)
            let isFlushed = file.content(.nothing, &random) == plain
            #expect(isFlushed, "\(number) bytes")
        }
    }

    /// After a power cut, each sector holds one of the contents that the program could read there since the last flush.
    @Test("Each sector after a cut has a content that the file had since its last flush")
    func everySectorOfACutIsOneThatTheFileHad() {
        var random = SeededRandom.announced("everySectorOfACut")
        for _ in 0..<100 {
            var (file, plain) = (DiskFile(), [UInt8](repeating: 0, count: 4 * Sectors.bytes))
            file.write(plain, at: 0, number: 0)
            file.flush(1)
            var seen = [sectors(plain)]
            for number in 1...10 {
                let (at, bytes) = (random.int(0...3 * Sectors.bytes), some(&random))
                file.write(bytes, at: at, number: number)
                plain.replaceSubrange(at..<at + bytes.count, with: bytes)
                if random.oneIn(5) {
                    file.flush(number + 1)
                    seen = []
                }
                seen.append(sectors(plain))
            }
            let found = sectors(file.content(.percent(50), &random))
            for index in found.indices { #expect(seen.contains { $0[index] == found[index] }) }
        }
    }

    private func step(_ number: Int, _ file: inout DiskFile, _ plain: inout [UInt8], _ random: inout SeededRandom) {
        switch random.int(0...9) {
        case 0: file.flush(number)
        case 1...2:
            let size = random.int(0...3_000)
            file.resize(to: size, number: number)
            fit(&plain, size)
        default:
            let (at, bytes) = (random.int(0...2_000), some(&random))
            file.write(bytes, at: at, number: number)
            fit(&plain, max(plain.count, at + bytes.count))
            plain.replaceSubrange(at..<at + bytes.count, with: bytes)
            if random.oneIn(4) { file.flush(write: at..<at + bytes.count, number: number) }
        }
    }

    private func some(_ random: inout SeededRandom) -> [UInt8] {
        Array(repeating: UInt8(random.int(1...255)), count: random.int(1...Sectors.bytes))
    }

    private func fit(_ bytes: inout [UInt8], _ size: Int) {
        bytes = Array(bytes.prefix(size)) + Array(repeating: 0, count: max(0, size - bytes.count))
    }

    private func sectors(_ bytes: [UInt8]) -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: Sectors.bytes).map { Array(bytes[$0..<min(bytes.count, $0 + Sectors.bytes)]) }
    }
}
