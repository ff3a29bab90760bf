import Foundation
import Seeds
import Testing

@testable import LMDB

/// Files of checksummed blocks: a read returns exactly what was written, or an error.
@Suite struct BlockFileTests {
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "greentea-blocks-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    @Test("CRC-32C of the standard's test string is the standard's")
    func theChecksumIsThatOfTheStandard() {
        let digits = Array("123456789".utf8)
        #expect(CRC32C.checksum(of: digits.span) == 0xE306_9283)
        #expect(CRC32C.checksum(of: [UInt8]().span) == 0)
    }

    @Test("The processor's instruction and the table give the same checksum")
    func bothWaysToTheChecksumAgree() {
        var random = SeededRandom.announced("bothWaysToTheChecksumAgree")
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8(random.int(0...255)) }
            #expect(CRC32C.checksum(of: bytes.span) == CRC32C.plainChecksum(of: bytes.span), "seed \(random.seed)")
        }
    }

    @Test("Blocks of both rows are read as they were written, those of the first row first", arguments: [BlockFile.Access.mapped, .plain])
    func whatWasWrittenIsRead(_ access: BlockFile.Access) throws {
        try withFolder { folder in
            var writer = try BlockFileWriter(folder + "/a")
            let blocks = [[UInt8](repeating: 1, count: 5_000), [2], [UInt8](repeating: 3, count: 4_096)]
            try writer.append(blocks[0])
            try writer.append(blocks[2], .second)
            try writer.append(blocks[1])
            let seal = try writer.finish(number: 7)
            let file = try BlockFile(folder + "/a", number: 7, seal: seal, access)
            #expect(file.blocks == 3)
            for (number, block) in blocks.enumerated() {
                var bytes: [UInt8] = []
                try file.read(number, into: &bytes)
                #expect(bytes == block)
                guard access == .mapped else { continue }
                bytes = []
                bytes.append(copying: try file.block(number))
                #expect(bytes == block)
            }
            var none: [UInt8] = []
            #expect(throws: LMDBError.self) { try file.read(3, into: &none) }
        }
    }

    @Test("A block file with another number, checksum or length is refused")
    func aFileOfAnotherNumberOrSealIsRefused() throws {
        try withFolder { folder in
            var writer = try BlockFileWriter(folder + "/a")
            try writer.append([1, 2, 3])
            let seal = try writer.finish(number: 7)
            #expect(throws: LMDBError.self) { try BlockFile(folder + "/a", number: 8, seal: seal, .mapped) }
            let other = BlockFile.Seal(bytes: seal.bytes, checksum: seal.checksum ^ 1)
            #expect(throws: LMDBError.self) { try BlockFile(folder + "/a", number: 7, seal: other, .mapped) }
            let longer = BlockFile.Seal(bytes: seal.bytes + 1, checksum: seal.checksum)
            #expect(throws: LMDBError.self) { try BlockFile(folder + "/a", number: 7, seal: longer, .mapped) }
            #expect(throws: LMDBError.self) { try BlockFile(folder + "/b", number: 7, seal: seal, .mapped) }
        }
    }

    /// An open file can still be read after its name was removed.
    @Test("An open block file is read after its name was removed")
    func aFileWithoutANameIsReadOn() throws {
        try withFolder { folder in
            var writer = try BlockFileWriter(folder + "/a")
            try writer.append([1, 2, 3])
            let file = try BlockFile(folder + "/a", number: 1, seal: try writer.finish(number: 1), .mapped)
            try FileManager.default.removeItem(atPath: folder + "/a")
            var bytes: [UInt8] = []
            bytes.append(copying: try file.block(0))
            #expect(bytes == [1, 2, 3])
        }
    }
}
