import Foundation
import LMDB
import Seeds
import Testing

/// Reading an environment's file without LMDB gives the same content as LMDB does, and finds faults at which LMDB would fail.
@Suite struct InspectingTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Stores and deletes random values of many lengths, so that pages are freed and reused. Long values are stored on pages of their own.
    private func fill(_ seed: inout SeededRandom) throws -> [UInt64: [UInt8]] {
        let environment = try Environment(directory: folder.environment, access: .readWrite)
        let table = try environment.table("numbers", .integer)
        let other = try environment.table("bytes", .bytes)
        var model: [UInt64: [UInt8]] = [:]
        for round in 0..<30 {
            var write = try environment.write()
            for _ in 0..<60 {
                let key = UInt64.random(in: 0..<900, using: &seed)
                let length = Int.random(in: 0..<10, using: &seed) == 0 ? 9_000 : Int.random(in: 0..<500, using: &seed)
                if Bool.random(using: &seed), model.removeValue(forKey: key) != nil {
                    _ = try write.delete(table, key)
                } else if model[key] == nil {
                    let value = [UInt8](repeating: UInt8(round), count: length)
                    model[key] = value
                    try write.put(table, key, value.span)
                }
                let name = "key \(key)".bytes
                try write.put(other, name.span, name.span)
            }
            try write.commit()
        }
        return model
    }

    private func findings() throws -> [PageFinding] {
        let file = try PageFile(in: folder.environment)
        let findings = Findings()
        findings.all = file.headFindings()
        FileWalk(file, head: try file.newestHead()) { findings.all.append($0) }.run()
        return findings.all
    }

    @Test("Plain reads give the entries that LMDB has stored")
    func plainReadsSayWhatTheEngineSays() throws {
        var seed = SeededRandom.announced("plainReadsSayWhatTheEngineSays")
        let model = try fill(&seed)
        let file = try PageFile(in: folder.environment)
        let table = try #require(try file.tables(of: file.newestHead())["numbers"])
        var cursor = FileCursor(table, in: file)
        var value: [UInt8] = []
        for key in model.keys.sorted() {
            let moved = try cursor.next()
            try cursor.value(into: &value)
            #expect(moved && cursor.key == key && value == model[key])
        }
        #expect(try !cursor.next())
        for key in 0..<900 as Range<UInt64> {
            let found = try cursor.seek(key)
            #expect(found == (model[key] != nil))
        }
        #expect(table.entries == UInt64(model.count))
    }

    @Test("A file that LMDB wrote, and a copy of it, have no findings")
    func whatTheEngineWroteHasNoFindings() throws {
        var seed = SeededRandom.announced("whatTheEngineWroteHasNoFindings")
        _ = try fill(&seed)
        let found = try findings()
        #expect(found == [])
        let copy = folder.path + "/copy"
        try Environment(directory: folder.environment, access: .readOnly).copy(to: copy)
        let file = try PageFile(in: copy)
        #expect(file.headFindings() == [])
    }

    @Test("A changed head, pointer or count of a used page is found")
    func aChangedHeadPointerOrCountIsFound() throws {
        var seed = SeededRandom.announced("aChangedHeadPointerOrCountIsFound")
        _ = try fill(&seed)
        let url = URL(filePath: folder.dataFile)
        let bytes = try Data(contentsOf: url)
        for page in stride(from: 2, to: bytes.count / 4_096, by: 5) {
            // A change that is not found must be in a page whose content does not matter.
            for place in [0, 10, 12, 14] {
                var changed = bytes
                changed[page * 4_096 + place] ^= 2
                try changed.write(to: url)
                if try findings().isEmpty { try expectUnused(page, in: bytes, url) }
            }
        }
        try bytes.write(to: url)
        let found = try findings()
        #expect(found == [])
    }

    /// Checks that the content of a page does not matter, because a change in it was not found. Such a page is free, or it is in the middle
    /// of a large value.
    private func expectUnused(_ page: Int, in bytes: Data, _ url: URL) throws {
        var wiped = bytes
        wiped.replaceSubrange(page * 4_096..<(page + 1) * 4_096, with: Data(repeating: 0xAA, count: 4_096))
        try wiped.write(to: url)
        #expect(try findings() == [], "page \(page)")
    }

    /// Because of the damage, a key no longer has eight bytes. LMDB still returns this key, and this layer must report the damage and not
    /// trap.
    @Test("A key that does not have eight bytes in a table of numbers is damage")
    func aKeyOfAnotherLengthInATableOfNumbersIsDamage() throws {
        do {
            let environment = try Environment(directory: folder.environment, access: .readWrite)
            let table = try environment.table("numbers", .integer)
            var write = try environment.write()
            for key in 0..<3 as Range<UInt64> { try write.append(table, key, [UInt8](repeating: 0xEE, count: 100)) }
            try write.commit()
        }
        let url = URL(filePath: folder.dataFile)
        var bytes = try Data(contentsOf: url)
        let value = try #require(bytes.range(of: Data(repeating: 0xEE, count: 100))).lowerBound
        bytes[value - 10] = 4
        try bytes.write(to: url)
        let environment = try Environment(directory: folder.environment, access: .readOnly)
        let table = try environment.table("numbers", .integer)
        let snapshot = try environment.snapshot()
        var code: LMDBError.Code?
        do throws(LMDBError) {
            var cursor = try snapshot.cursor(table)
            while try cursor.next() { _ = cursor.integerKey }
        } catch { code = error.code }
        #expect(code == .damaged)
    }
}

private final class Findings {
    var all: [PageFinding] = []
}
