import Foundation
import LMDB
import Seeds
import Testing

/// The search for damaged pages in an environment that is in use.
@Suite(.timeLimit(.minutes(15))) struct WholePagesTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("A thousand random transactions leave nothing that is called damaged, nor does a copy")
    func nothingSoundIsCalledDamaged() throws {
        var options = Environment.Options()
        options.durability = .none
        var seed = SeededRandom.announced("nothingSoundIsCalledDamaged")
        let environment = try Environment(directory: folder.environment, access: .readWrite, options: options)
        let tables = try [environment.table("bytes", .bytes), environment.table("numbers", .integer)]
        for step in 1...1_000 {
            var write = try environment.write()
            for _ in 0..<seed.int(1...20) {
                let (table, key) = (seed.int(0...1), UInt64(seed.int(1...500)))
                let name = Array("key \(key)".utf8)
                let value = [UInt8](repeating: UInt8(seed.int(0...255)), count: seed.int(0...1_500))
                switch (table, seed.oneIn(3)) {
                case (0, true): _ = try write.delete(tables[0], name)
                case (0, false): try write.put(tables[0], name, value)
                case (_, true): _ = try write.delete(tables[1], key)
                default: try write.put(tables[1], key, value)
                }
            }
            try write.commit()
            if step.isMultiple(of: 5) { #expect(throws: Never.self) { try environment.requireWholePages() } }
        }
        try environment.copy(to: folder.path + "/copy")
        try Environment(directory: folder.path + "/copy", access: .readWrite).requireWholePages()
    }
}
