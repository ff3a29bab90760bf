import LMDB
import Seeds
import Testing

/// Finding, storing and removing through a cursor has the same effect as through the transaction.
@Suite struct WriteCursorTests {
    private let folder: TemporaryFolder
    private let environment: Environment
    private let table: Table

    init() throws {
        folder = try TemporaryFolder()
        var options = Environment.Options()
        options.durability = .none
        environment = try Environment(directory: folder.environment, access: .readWrite, options: options)
        table = try environment.table("rows")
    }

    /// Applies the same batches of changes to two tables: to one through a cursor, and to the other through the transaction. Some batches
    /// are in key order, and some are not. The two tables must stay equal.
    @Test("Changes through a cursor leave the same table as changes through the transaction")
    func whatACursorDoesIsWhatTheTransactionDoes() throws {
        let plain = try environment.table("plain")
        var random = SeededRandom.announced("write cursor")
        for batch in 0..<60 {
            var changes = (0..<Int.random(in: 0...400, using: &random)).map { _ in Self.change(&random) }
            if batch % 3 > 0 { changes.sort { $0.key.lexicographicallyPrecedes($1.key) } }
            // Every twentieth batch only removes rows, so that pages are merged, and later batches let the tree grow again.
            if batch % 20 == 19 { changes = changes.map { (key: $0.key, value: nil) } }
            var write = try environment.write()
            let expected = try apply(changes, to: plain, in: &write)
            #expect(try applyByCursor(changes, in: &write) == expected)
            try write.commit()
            #expect(try content(of: table) == content(of: plain), "batch \(batch)")
        }
    }

    /// A random change of one row. There are few keys, of 2 to 41 bytes, so that they repeat. Some values need pages of their own.
    private static func change(_ random: inout SeededRandom) -> (key: [UInt8], value: [UInt8]?) {
        let number = UInt64.random(in: 0..<3_000, using: &random)
        var key = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: Int(number % 40))
        key.append(contentsOf: [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)])
        if Int.random(in: 0..<3, using: &random) == 0 { return (key, nil) }
        let count = [0, 8, 90, 250, 1_900, 5_000].randomElement(using: &random) ?? 0
        return (key, [UInt8](repeating: UInt8.random(in: 0...255, using: &random), count: count))
    }

    /// Applies changes.
    ///
    /// - Returns: the value before each change.
    private func apply(
        _ changes: [(key: [UInt8], value: [UInt8]?)], to table: Table, in write: inout WriteTransaction
    ) throws -> [[UInt8]?] {
        var before: [[UInt8]?] = []
        for change in changes {
            let copy: [UInt8]? = if let known = try write.get(table, change.key) { known.array } else { nil }
            before.append(copy)
            if let value = change.value {
                try write.put(table, change.key, value)
            } else {
                #expect(try write.delete(table, change.key) == (copy != nil))
            }
        }
        return before
    }

    private func applyByCursor(
        _ changes: [(key: [UInt8], value: [UInt8]?)], in write: inout WriteTransaction
    ) throws -> [[UInt8]?] {
        var before: [[UInt8]?] = []
        var cursor = try write.writeCursor(table)
        for change in changes {
            let copy: [UInt8]? = if let known = try cursor.get(change.key.span) { known.array } else { nil }
            before.append(copy)
            if let value = change.value {
                try cursor.put(change.key.span, value.span)
            } else {
                #expect(try cursor.delete(change.key.span) == (copy != nil))
            }
        }
        return before
    }

    private func content(of table: Table) throws -> [[[UInt8]]] {
        let snapshot = try environment.snapshot()
        var cursor = try snapshot.cursor(table)
        var rows: [[[UInt8]]] = []
        while try cursor.next() { rows.append([cursor.key.array, cursor.value.array]) }
        #expect(try snapshot.count(table) == rows.count)
        return rows
    }

    @Test("A transaction continues after its cursor's changes")
    func theTransactionGoesOnWhereTheCursorEnded() throws {
        var write = try environment.write()
        do {
            var cursor = try write.writeCursor(table)
            try cursor.put("a".bytes.span, "1".bytes.span)
            try cursor.put("b".bytes.span, "2".bytes.span)
        }
        try write.put(table, "b".bytes, "3".bytes)
        do {
            var cursor = try write.writeCursor(table)
            let text: String? = if let found = try cursor.get("b".bytes.span) { found.text } else { nil }
            #expect(text == "3")
            #expect(try cursor.delete("a".bytes.span))
            #expect(try !cursor.delete("a".bytes.span))
        }
        try write.commit()
        #expect(try content(of: table) == [["b".bytes, "3".bytes]])
    }

    @Test("A cursor that is dropped with its transaction changes nothing")
    func droppedWithItsTransactionItLeavesNothing() throws {
        try put("a")
        do {
            var write = try environment.write()
            var cursor = try write.writeCursor(table)
            try cursor.put("b".bytes.span, "2".bytes.span)
            #expect(try cursor.delete("a".bytes.span))
        }
        #expect(try content(of: table) == [["a".bytes, []]])
    }

    private func put(_ key: String) throws {
        var write = try environment.write()
        try write.put(table, key.bytes, [])
        try write.commit()
    }

    @Test("A cursor refuses foreign tables, integer tables, and keys of a wrong length")
    func onlyBytesOfTheSameEnvironmentAndKeysOfTheRightLength() throws {
        let numbers = try environment.table("numbers", .integer)
        let foreign = try Environment(directory: folder.path + "/other", access: .readWrite).table("rows")
        for wrong in [numbers, foreign] {
            var write = try environment.write()
            #expect(code { _ = try write.writeCursor(wrong) } == .misuse)
        }
        for length in [0, Limits.keyBytesMax + 1] {
            let key = [UInt8](repeating: 1, count: length)
            var write = try environment.write()
            var cursor = try write.writeCursor(table)
            do {
                try cursor.put(key.span, key.span)
                Issue.record("a key of \(length) bytes was stored")
            } catch {
                #expect(error.code == .keyTooLong)
            }
        }
    }
}
