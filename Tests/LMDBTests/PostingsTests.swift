import LMDB
import Testing

/// Ordered sets of numbers under keys.
@Suite struct PostingsTests {
    let folder: TemporaryFolder
    let environment: Environment
    let tags: Table

    init() throws {
        folder = try TemporaryFolder()
        environment = try Environment(directory: folder.environment, access: .readWrite)
        tags = try environment.table("tags", .postings)
    }

    private func fill(_ sets: [(String, [UInt64])]) throws {
        var write = try environment.write()
        for (key, numbers) in sets {
            for number in numbers { try write.addPosting(tags, key.bytes, number) }
        }
        try write.commit()
    }

    private func numbers(under key: String) throws -> [UInt64] {
        let snapshot = try environment.snapshot()
        var cursor = try snapshot.cursor(tags)
        guard try cursor.seek(exactly: key.bytes) else { return [] }
        var found = [cursor.posting]
        while try cursor.nextDuplicate() { found.append(cursor.posting) }
        return found
    }

    /// One, a few within a page, and enough for a tree of their own.
    @Test(arguments: [1, 2, 100, 5_000])
    func setsOfAnySize(count: UInt64) throws {
        let expected = (0..<count).map { $0 * 7 }
        try fill([("a", [1]), ("b", expected.reversed()), ("c", [2])])
        #expect(try numbers(under: "b") == expected)
        #expect(try numbers(under: "a") == [1])
        #expect(try numbers(under: "bb") == [])
    }

    @Test func addingAgainChangesNothing() throws {
        try fill([("a", [3, 3, 1, 3])])
        #expect(try numbers(under: "a") == [1, 3])
        #expect(try environment.snapshot().count(tags) == 2)
    }

    @Test(arguments: [1, 5_000] as [UInt64])
    func seekAtLeast(count: UInt64) throws {
        try fill([("a", [9]), ("b", (1...count).map { $0 * 10 }), ("c", [9_999_999])])
        let snapshot = try environment.snapshot()
        var cursor = try snapshot.cursor(tags)
        for wanted in [0, 1, 10, count * 10 - 9, count * 10] {
            #expect(try cursor.seek("b".bytes, atLeast: wanted))
            #expect(cursor.posting == max(10, (wanted + 9) / 10 * 10))
            #expect(cursor.key.text == "b")
        }
        #expect(try !cursor.seek("b".bytes, atLeast: count * 10 + 1), "the next key's numbers are not this key's")
        #expect(try !cursor.seek("bb".bytes, atLeast: 0))
    }

    @Test(arguments: [1, 2, 5_000] as [UInt64])
    func walkingWithinAKey(count: UInt64) throws {
        try fill([("a", [7]), ("b", Array(1...count)), ("c", [7])])
        let snapshot = try environment.snapshot()
        var cursor = try snapshot.cursor(tags)
        #expect(try cursor.seek(exactly: "b".bytes))
        #expect(try cursor.duplicateCount() == Int(count))
        #expect(try !cursor.previousDuplicate())
        #expect(try cursor.lastDuplicate())
        #expect(cursor.posting == count)
        #expect(cursor.key.text == "b")
        #expect(try !cursor.nextDuplicate())
        #expect(cursor.posting == count, "a move that fails leaves the entry")
        var found = [cursor.posting]
        while try cursor.previousDuplicate() { found.append(cursor.posting) }
        #expect(found == (1...count).reversed())
        #expect(try cursor.lastDuplicate())
        #expect(try cursor.firstDuplicate())
        #expect(cursor.posting == 1)
        #expect(try cursor.nextKey())
        #expect(cursor.key.text == "c")
        #expect(try !cursor.nextKey())
    }

    @Test func seekWithoutExactnessFindsTheNextKey() throws {
        try fill([("a", [1]), ("c", [5, 4])])
        let snapshot = try environment.snapshot()
        var cursor = try snapshot.cursor(tags)
        #expect(try cursor.seek("b".bytes))
        #expect(cursor.key.text == "c")
        #expect(cursor.posting == 4)
    }

    @Test func appendingKeepsThePromiseOrThrows() throws {
        var write = try environment.write()
        for number in 1...3_000 as ClosedRange<UInt64> { try write.addPosting(tags, "a".bytes, number, appending: true) }
        do {
            try write.addPosting(tags, "a".bytes, 5, appending: true)
            Issue.record("5 was appended after 3000")
        } catch {
            #expect(error.code == .outOfOrder)
        }
        #expect(try write.count(tags) == 3_000)
    }

    @Test func removingOneAndAll() throws {
        try fill([("a", [1, 2, 3]), ("b", [4])])
        var write = try environment.write()
        #expect(try write.removePosting(tags, "a".bytes.span, 2))
        #expect(try !write.removePosting(tags, "a".bytes.span, 2))
        #expect(try write.delete(tags, "b".bytes))
        try write.commit()
        #expect(try numbers(under: "a") == [1, 3])
        #expect(try numbers(under: "b") == [])
    }

    @Test func putIsRefused() throws {
        var write = try environment.write()
        do {
            try write.put(tags, "a".bytes, "b".bytes)
            Issue.record("bytes were put among numbers")
        } catch {
            #expect(error.code == .misuse)
        }
    }
}
