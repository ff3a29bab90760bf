import Foundation
import LMDB
import Patience
import Seeds
import Synchronization
import Testing

/// The search for damaged pages in tables whose values are replaced, as read models do it.
@Suite(.timeLimit(.minutes(15))) struct ReplacedValueTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func environment() throws -> Environment {
        var options = Environment.Options()
        options.durability = .none
        return try Environment(directory: folder.environment, access: .readWrite, options: options)
    }

    /// Changes rows of many lengths: some are stored on pages of their own, and one transaction may replace a row several times.
    private static func change(_ tables: [Table], in environment: Environment, _ seed: inout SeededRandom) throws {
        var write = try environment.write()
        for table in tables {
            var cursor = try write.writeCursor(table)
            for _ in 0..<seed.int(0...30) {
                let key = Array("row \(seed.int(1...400))".utf8)
                for _ in 0..<seed.int(1...3) {
                    let long = seed.oneIn(4)
                    let value = [UInt8](repeating: UInt8(seed.int(0...255)), count: seed.int(0...(long ? 20_000 : 300)))
                    if seed.oneIn(5) { _ = try cursor.delete(key.span) } else { try cursor.put(key.span, value.span) }
                }
            }
        }
        try write.commit()
    }

    @Test("Two thousand random transactions leave nothing that is called damaged")
    func nothingSoundIsCalledDamaged() throws {
        var seed = SeededRandom.announced("replaced values")
        let environment = try environment()
        let tables = try ["meta", "rows", "index"].map { try environment.table($0, .bytes) }
        for step in 1...2_000 {
            try Self.change(tables, in: environment, &seed)
            if step.isMultiple(of: 4) { #expect(throws: Never.self, "after \(step)") { try environment.requireWholePages() } }
        }
    }

    @Test("Nothing is called damaged while another thread commits")
    func besideAWriter() throws {
        var seed = SeededRandom.announced("replaced values beside")
        let environment = try environment()
        let tables = try ["meta", "rows"].map { try environment.table($0, .bytes) }
        try Self.change(tables, in: environment, &seed)
        let walks = Mutex(0)
        let ended = Mutex(false)
        Thread.detachNewThread {
            while !ended.withLock({ $0 }) {
                #expect(throws: Never.self) { try environment.requireWholePages() }
                walks.withLock { $0 += 1 }
            }
            walks.withLock { $0 = -1 }
        }
        var steps = 0
        while steps < 1_000 || walks.withLock({ $0 }) < 50 {
            try Self.change(tables, in: environment, &seed)
            steps += 1
        }
        ended.withLock { $0 = true }
        try eventually("the walker has ended") { walks.withLock { $0 } == -1 }
    }
}
