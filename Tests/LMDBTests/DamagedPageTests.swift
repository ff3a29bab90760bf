import Foundation
import LMDB
import Testing

/// The effects of a damaged page on readers that use LMDB.
@Suite(.timeLimit(.minutes(15))) struct DamagedPageTests {
    private static let pageBytes = 4_096
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Changes every branch page so that it claims to have only one child. LMDB asserts that a branch page has several.
    private func damageBranches() throws {
        do {
            let environment = try Environment(directory: folder.environment, access: .readWrite)
            let table = try environment.table("numbers", .integer)
            let value = [UInt8](repeating: 7, count: 200)
            var write = try environment.write()
            for key in 0..<2_000 as Range<UInt64> { try write.put(table, key, value.span) }
            try write.commit()
        }
        var bytes = try Data(contentsOf: URL(filePath: folder.dataFile))
        var damaged = 0
        for page in stride(from: 2 * Self.pageBytes, to: bytes.count, by: Self.pageBytes) where bytes[page + 10] == 1 {
            (bytes[page + 12], bytes[page + 13]) = (18, 0)
            damaged += 1
        }
        try #require(damaged > 0)
        try bytes.write(to: URL(filePath: folder.dataFile))
    }

    private static func readLast(_ path: String) throws {
        var options = Environment.Options()
        options.endsOnDamage = true
        let environment = try Environment(directory: path, access: .readOnly, options: options)
        let table = try environment.table("numbers", .integer)
        let snapshot = try environment.snapshot()
        var cursor = try snapshot.cursor(table)
        _ = try cursor.seek(1_999)
    }

    @Test("A failed assertion of LMDB ends a tool with exit code 2 and a sentence")
    func anAssertionOfLMDBsEndsAToolInWords() async throws {
        try damageBranches()
        let result = await #expect(processExitsWith: .exitCode(2), observing: [\.standardErrorContent]) {
            [path = folder.environment as String] in
            try DamagedPageTests.readLast(path)
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("is damaged") && said.contains("restore a backup"), "\(said)")
    }

    @Test(
        "Two head pages overwritten in an open environment are damage of the data, not of the lock file", arguments: [0, 0xEE] as [UInt8])
    func headPages(of noise: UInt8) throws {
        let environment = try Environment(directory: folder.environment, access: .readWrite)
        let table = try environment.table("numbers", .integer)
        for key in 0..<5 as Range<UInt64> {
            var write = try environment.write()
            try write.put(table, key, [7])
            try write.commit()
        }
        let handle = try FileHandle(forUpdating: URL(filePath: folder.dataFile))
        try handle.write(contentsOf: Data(repeating: noise, count: 2 * Self.pageBytes))
        try handle.close()
        #expect(throws: LMDBError.self) { try environment.requireLockFile() }
        for _ in 0..<2 {
            let error = #expect(throws: LMDBError.self) { _ = try environment.snapshot() }
            #expect(error?.code == .damaged, "\(error as Any)")
        }
    }

    @Test("A head page overwritten in an open environment is damage, not a lack of address space")
    func aHeadPageDamagedWhileOpenIsDamageAndNoLackOfAddressSpace() throws {
        let environment = try Environment(directory: folder.environment, access: .readWrite)
        let table = try environment.table("numbers", .integer)
        var key: UInt64 = 0
        // Page 0 is of the even transactions.
        repeat {
            var write = try environment.write()
            try write.put(table, key, [7])
            try write.commit()
            key += 1
        } while try PageFile(in: folder.environment).newestHead().transaction % 2 == 1
        let handle = try FileHandle(forUpdating: URL(filePath: folder.dataFile))
        try handle.write(contentsOf: Data(repeating: 0xEE, count: Self.pageBytes))
        try handle.close()
        for _ in 0..<2 {
            let error = #expect(throws: LMDBError.self) { _ = try environment.snapshot() }
            #expect(error?.code == .damaged && error?.text.contains("page 0") == true, "\(error as Any)")
        }
        #expect(throws: LMDBError.self) { _ = try environment.write() }
    }

    @Test("A file that is too short for a head is damaged")
    func aFileTooShortForItsHeadIsDamagedWhoeversItIs() throws {
        try FileManager.default.createDirectory(atPath: folder.environment, withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: folder.dataFile))
        let error = #expect(throws: LMDBError.self) { try PageFile(in: folder.environment) }
        #expect(error?.code == .damaged)
    }
}
