import LMDB
import Seeds
import Testing

/// Compares tables with very simple models after each step of a random history.
@Suite struct DifferentialTests {
    let folder: TemporaryFolder
    let environment: Environment

    init() throws {
        folder = try TemporaryFolder()
        var options = Environment.Options()
        options.durability = .none
        environment = try Environment(directory: folder.environment, access: .readWrite, options: options)
    }

    @Test("Random transactions leave the same numbers as a sorted array")
    func numbersAgainstASortedArray() throws {
        let table = try environment.table("numbers", .integer)
        var seed = SeededRandom.announced("numbersAgainstASortedArray")
        var committed = SortedModel()
        for _ in 0..<150 {
            var model = committed
            var write = try environment.write()
            for _ in 0..<Int.random(in: 0...30, using: &seed) { try change(&write, table, &model, &seed) }
            if Int.random(in: 0..<4, using: &seed) > 0 {
                try write.commit()
                committed = model
            } else {
                drop(write)
            }
            try compare(table, committed, &seed)
        }
    }

    private func drop(_ write: consuming WriteTransaction) {}

    private func change(
        _ write: inout WriteTransaction, _ table: Table, _ model: inout SortedModel, _ seed: inout SeededRandom
    ) throws {
        let key = UInt64.random(in: 0..<400, using: &seed)
        switch Int.random(in: 0..<100, using: &seed) {
        case 0:
            try write.removeAll(table)
            model.removeAll()
        case 1..<30:
            #expect(try write.delete(table, key) == model.delete(key))
        case 30..<40:
            try append(&write, table, &model)
        default:
            let count = [0, 1, 50, 3_000, 9_000].randomElement(using: &seed) ?? 0
            let value = [UInt8](repeating: UInt8.random(in: 0...255, using: &seed), count: count)
            try write.put(table, key, value)
            model.put(key, value)
        }
        let found = try write.get(table, key)
        let bytes: [UInt8]? = if let found { found.array } else { nil }
        #expect(bytes == model.value(key))
    }

    private func append(_ write: inout WriteTransaction, _ table: Table, _ model: inout SortedModel) throws {
        let key = (model.entries.last?.key ?? 0) + 1
        try write.append(table, key, count: 8) { page in
            for byte in 0..<8 as Range<UInt8> { page.append(byte) }
        }
        model.put(key, Array(0..<8))
    }

    /// Compares the table with the model: first by a full forward walk, and then by a random walk.
    private func compare(_ table: Table, _ model: SortedModel, _ seed: inout SeededRandom) throws {
        let snapshot = try environment.snapshot()
        #expect(try snapshot.count(table) == model.entries.count)
        var cursor = try snapshot.cursor(table)
        for entry in model.entries {
            try #require(try cursor.next())
            #expect(cursor.integerKey == entry.key)
            #expect(cursor.value.array == entry.value)
        }
        #expect(try !cursor.next())
        try walk(&cursor, model, &seed)
    }

    /// Moves a cursor at random, and compares it with an index of the model's array. After a search that found nothing, the index is
    /// `count`. A step that finds nothing does not change the index.
    private func walk(_ cursor: inout Cursor, _ model: SortedModel, _ seed: inout SeededRandom) throws {
        let count = model.entries.count
        guard count > 0 else { return }
        var place = count - 1
        for _ in 0..<40 {
            let wanted = UInt64.random(in: 0..<450, using: &seed)
            let (moved, target): (Bool, Int)
            let move = Int.random(in: 0..<8, using: &seed)
            switch move {
            case 0: (moved, target) = (try cursor.first(), 0)
            case 1: (moved, target) = (try cursor.last(), count - 1)
            case 2, 3: (moved, target) = (try cursor.seek(wanted), model.index(of: wanted))
            case 4, 5: (moved, target) = (try cursor.next(), place + 1)
            default: (moved, target) = (try cursor.previous(), place - 1)
            }
            try #require(moved == model.entries.indices.contains(target))
            if moved { try #require(cursor.integerKey == model.entries[target].key) }
            if moved || move < 4 { place = target }
        }
    }
}
