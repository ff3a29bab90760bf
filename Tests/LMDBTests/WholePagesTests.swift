import Foundation
import LMDB
import Seeds
import Synchronization
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

    @Test("A search that is ended at any page finds nothing")
    func endedAnywhere() throws {
        var options = Environment.Options()
        options.durability = .none
        let environment = try Environment(directory: folder.environment, access: .readWrite, options: options)
        let tables = try [environment.table("bytes", .bytes), environment.table("numbers", .integer)]
        for step in 0..<4 {
            var write = try environment.write()
            for key in 0..<UInt64(300) {
                if step < 3 { try write.put(tables[0], Array("key \(key)".utf8), [UInt8](repeating: 7, count: 100 << step)) }
                if step < 3 { try write.put(tables[1], key, [7]) } else { _ = try write.delete(tables[1], key) }
            }
            try write.commit()
        }
        var pagesMax = 0
        for end in 0... {
            let looks = Looks()
            SearchStop.when({ looks.next() > end }) {
                #expect(throws: Never.self) { try environment.requireWholePages() }
            }
            // The search has ended by itself.
            if looks.count <= end { break }
            pagesMax = end
        }
        #expect(pagesMax > 30)
    }

    private final class Looks: Sendable {
        private let looks = Mutex(0)

        var count: Int { looks.withLock { $0 } }

        func next() -> Int {
            looks.withLock { count in
                count += 1
                return count
            }
        }
    }
}
