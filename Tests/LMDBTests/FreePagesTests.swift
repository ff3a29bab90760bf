import Foundation
import LMDB
import Testing

/// The number of unused pages, counted from the file.
@Suite struct FreePagesTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ environment: Environment, _ table: Table, _ keys: Range<UInt64>, bytes: Int?) throws {
        var transaction = try environment.write()
        for key in keys {
            if let bytes {
                try transaction.put(table, key, [UInt8](repeating: 7, count: bytes))
            } else {
                _ = try transaction.delete(table, key)
            }
        }
        try transaction.commit()
    }

    @Test("Removed values leave free pages, which later values use before the file grows", arguments: [1_000, 20_000])
    func count(_ bytes: Int) throws {
        let environment = try Environment(directory: folder.environment, access: .readWrite)
        let table = try environment.table("values", .integer)
        try write(environment, table, 0..<400, bytes: bytes)
        let before = try FreePages(in: folder.environment)
        let size = environment.statistics.usedBytes
        try write(environment, table, 0..<400, bytes: nil)
        let after = try FreePages(in: folder.environment)
        #expect(after.pageBytes == environment.statistics.pageBytes)
        #expect(after.bytes >= 400 * bytes && after.bytes <= environment.statistics.usedBytes, "\(before), \(after)")
        #expect(before.bytes < 40 * bytes, "\(before)")
        // Pages that a commit frees can be reused only two commits later. So a few small commits come first.
        for round: UInt64 in 1...3 { try write(environment, table, (round * 1_000)..<(round * 1_000 + 1), bytes: 10) }
        try write(environment, table, 0..<200, bytes: bytes)
        #expect(environment.statistics.usedBytes < size + 40 * bytes)
        #expect(try FreePages(in: folder.environment).bytes < after.bytes - 150 * bytes)
    }

    @Test("A folder without an environment has no count")
    func missing() {
        #expect(throws: LMDBError.self) { try FreePages(in: folder.path) }
    }
}
