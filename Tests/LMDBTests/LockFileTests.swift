import Foundation
import LMDB
import Seeds
import Testing

/// `lock.mdb` is overwritten while this process has the environment open. LMDB takes the number of the last commit from it, so the next
/// commit would overwrite pages in use.
@Suite(.timeLimit(.minutes(15))) struct LockFileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func opened() throws -> (Environment, Table) {
        var options = Environment.Options()
        options.durability = .none
        let environment = try Environment(directory: folder.environment, access: .readWrite, options: options)
        return (environment, try environment.table("numbers", .integer))
    }

    private func put(_ environment: Environment, _ table: Table, _ keys: ClosedRange<UInt64>) throws {
        for key in keys {
            var write = try environment.write()
            try write.put(table, key, [UInt8](repeating: 7, count: 100))
            try write.commit()
        }
    }

    /// Overwrites the first bytes of the file. Closing the returned file drops LMDB's locks.
    private func overwrite(_ bytes: [UInt8], at offset: Int = 0) throws -> FileHandle {
        let file = try FileHandle(forUpdating: URL(filePath: folder.environment + "/lock.mdb"))
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: Data(bytes))
        return file
    }

    /// The file begins with four bytes that never change. The mutexes and the last commit's number follow, and from 128 on readers' slots.
    @Test(
        "After damage of the lock file no transaction begins, and the next opening has every commit and can write",
        arguments: [0, 0xA5] as [UInt8], [4, 64, 128, 32_896])
    func refusedAtTheBeginning(byte: UInt8, count: Int) throws {
        do {
            let (environment, table) = try opened()
            try put(environment, table, 1...50)
            #expect(try environment.snapshot().count(table) == 50)
            let file = try overwrite([UInt8](repeating: byte, count: count))
            for _ in 0..<3 {
                #expect(code { try put(environment, table, 51...51) } == .lockDamaged)
                #expect(code { _ = try environment.snapshot() } == .lockDamaged)
            }
            #expect(code { try environment.requireLockFile() } == .lockDamaged)
            #expect(code { try environment.copy(to: folder.path + "/copy") } == .lockDamaged)
            #expect(environment.clearDeadReaders() == 0)
            #expect(environment.readers == [])
            try file.close()
        }
        let (environment, table) = try opened()
        try environment.requireWholePages()
        #expect(try environment.snapshot().count(table) == 50)
        try put(environment, table, 51...51)
        #expect(try environment.snapshot().count(table) == 51)
    }

    @Test("Random bytes in the lock file are damage, whatever they are")
    func noise() throws {
        var random = SeededRandom.announced("lock file noise")
        let (environment, table) = try opened()
        try put(environment, table, 1...50)
        for _ in 0..<10 {
            let file = try overwrite((0..<4_096).map { _ in UInt8.random(in: 0...255, using: &random) })
            #expect(code { try put(environment, table, 51...51) } == .lockDamaged)
            #expect(code { _ = try environment.snapshot() } == .lockDamaged)
            try file.close()
        }
    }

    @Test("A transaction that began before the damage of the lock file commits nothing", arguments: [0, 0xA5] as [UInt8])
    func refusedAtTheCommit(byte: UInt8) throws {
        do {
            let (environment, table) = try opened()
            try put(environment, table, 1...1)
            var write = try environment.write()
            try write.put(table, 2, [2])
            let file = try overwrite([UInt8](repeating: byte, count: 128))
            do throws(LMDBError) {
                try write.commit()
                Issue.record("the commit was not refused")
            } catch { #expect(error.code == .lockDamaged) }
            #expect(code { _ = try environment.snapshot() } == .lockDamaged)
            try file.close()
        }
        // The environment stays open until the process ends.
        let copy = folder.path + "/copy"
        try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: folder.environment + "/data.mdb", toPath: copy + "/data.mdb")
        let environment = try Environment(directory: copy, access: .readWrite)
        let table = try environment.table("numbers", .integer)
        #expect(try environment.snapshot().count(table) == 1)
    }

    @Test("A slot of a reader that was overwritten is damage")
    func slots() throws {
        let (environment, table) = try opened()
        try put(environment, table, 1...1)
        #expect(try environment.snapshot().count(table) == 1)
        let file = try overwrite([UInt8](repeating: 0, count: 512 * 64), at: 128)
        #expect(code { _ = try environment.snapshot() } == .lockDamaged)
        try file.close()
    }

    @Test("A number of the last commit that is too small or too great is damage", arguments: [0, 1, 1_000_000] as [UInt64])
    func anotherNumber(number: UInt64) throws {
        let (environment, table) = try opened()
        try put(environment, table, 1...50)
        let file = try overwriteLast(environment, by: number)
        #expect(code { try put(environment, table, 51...51) } == .lockDamaged)
        #expect(code { _ = try environment.snapshot() } == .lockDamaged)
        try file.close()
    }

    private func overwriteLast(_ environment: Environment, by number: UInt64) throws -> FileHandle {
        let last = Self.bytes(of: UInt64(environment.statistics.lastTransaction))
        let head = [UInt8](try Data(contentsOf: URL(filePath: folder.environment + "/lock.mdb")).prefix(64))
        let place = try #require(stride(from: 8, to: 64, by: 8).first { Array(head[$0..<$0 + 8]) == last })
        return try overwrite(Self.bytes(of: number), at: place)
    }

    private static func bytes(of number: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }

    @Test("A snapshot that began before the damage of the lock file can still be read")
    func readOn() throws {
        let (environment, table) = try opened()
        try put(environment, table, 1...50)
        let snapshot = try environment.snapshot()
        let file = try overwrite([UInt8](repeating: 0xA5, count: 128 + 512 * 64))
        #expect(try snapshot.count(table) == 50)
        #expect(try snapshot.get(table, 50)?.count == 100)
        try file.close()
    }

    @Test("No transaction is refused while threads commit and read without a pause")
    func noFalseAlarm() throws {
        let (environment, table) = try opened()
        let threads = Threads()
        for _ in 0..<2 {
            threads.start { for _ in 0..<50 { try self.put(environment, table, 1...50) } }
            threads.start { for _ in 0..<20_000 { _ = try environment.snapshot().count(table) } }
            threads.start { for _ in 0..<20_000 { try environment.requireLockFile() } }
        }
        try threads.join()
        let kept = environment.statistics.lastTransaction
        #expect(kept >= 2 * 50 * 50)
    }
}
