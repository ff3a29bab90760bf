import LMDB
import Testing

/// Walks through tables of bytes and of numbers, in both directions and from any position.
@Suite struct CursorTests {
    let folder: TemporaryFolder
    let environment: Environment
    let words: Table
    let numbers: Table

    init() throws {
        folder = try TemporaryFolder()
        environment = try Environment(directory: folder.environment, access: .readWrite)
        words = try environment.table("words")
        numbers = try environment.table("numbers", .integer)
        var write = try environment.write()
        for word in ["b", "ab", "a", "c", "b\u{0}"] { try write.put(words, word.bytes, word.uppercased().bytes) }
        for number in [300, 2, 1 << 40, 256, 0] as [UInt64] { try write.put(numbers, number, [UInt8(truncatingIfNeeded: number)]) }
        try write.commit()
    }

    @Test("Keys are ordered as unsigned bytes, a prefix first")
    func bytesAreOrderedWithPrefixesFirst() throws {
        let snapshot = try environment.snapshot()
        var cursor = try snapshot.cursor(words)
        var found: [String] = []
        while try cursor.next() { found.append(cursor.key.text) }
        #expect(found == ["a", "ab", "b", "b\u{0}", "c"])
    }

    @Test("Integer keys are ordered as numbers")
    func numbersAreOrderedAsNumbers() throws {
        let snapshot = try environment.snapshot()
        var cursor = try snapshot.cursor(numbers)
        var found: [UInt64] = []
        while try cursor.next() { found.append(cursor.integerKey) }
        #expect(found == [0, 2, 256, 300, 1 << 40])
    }

    @Test("A cursor that moves backwards gives the entries in descending order")
    func backwards() throws {
        let snapshot = try environment.snapshot()
        var cursor = try snapshot.cursor(numbers)
        var found: [UInt64] = []
        while try cursor.previous() { found.append(cursor.integerKey) }
        #expect(found == [1 << 40, 300, 256, 2, 0])
    }

    @Test("A cursor moves to the first and to the last entry")
    func firstAndLast() throws {
        let snapshot = try environment.snapshot()
        var cursor = try snapshot.cursor(words)
        #expect(try cursor.last())
        #expect(cursor.key.text == "c")
        #expect(try cursor.first())
        #expect(cursor.key.text == "a")
        #expect(cursor.value.text == "A")
    }

    @Test(
        "A search finds the first key that is not less",
        arguments: [(0, 0), (1, 2), (2, 2), (257, 300), (301, 1 << 40)] as [(UInt64, UInt64)])
    func seekFindsTheFirstNotLess(wanted: UInt64, expected: UInt64) throws {
        let snapshot = try environment.snapshot()
        var cursor = try snapshot.cursor(numbers)
        #expect(try cursor.seek(wanted))
        #expect(cursor.integerKey == expected)
    }

    @Test("A search beyond the last key finds nothing and keeps the entry")
    func seekPastTheEndFindsNothingAndKeepsTheEntry() throws {
        let snapshot = try environment.snapshot()
        var cursor = try snapshot.cursor(numbers)
        #expect(try cursor.seek(2))
        #expect(try !cursor.seek(1 << 41))
        #expect(cursor.integerKey == 2)
        #expect(try cursor.previous())
        #expect(cursor.integerKey == 1 << 40)
    }

    @Test("After a search, the cursor's key is the stored one and not the caller's")
    func aMoveNeverLeavesTheCallersKeyBehind() throws {
        let snapshot = try environment.snapshot()
        var cursor = try snapshot.cursor(words)
        var key = "aa".bytes
        #expect(try cursor.seek(key))
        key = "zz".bytes
        #expect(cursor.key.text == "ab")
    }

    @Test("Bytes from a cursor stay valid when it moves")
    func bytesMayBeKeptWhileTheCursorMoves() throws {
        let snapshot = try environment.snapshot()
        var cursor = try snapshot.cursor(words)
        #expect(try cursor.first())
        let first = cursor.key
        #expect(try cursor.last())
        #expect(first.text == "a")
    }

    @Test("A cursor beyond the last entry stays there until it moves back")
    func theEndIsTheEndUntilMovedBack() throws {
        let snapshot = try environment.snapshot()
        var cursor = try snapshot.cursor(words)
        #expect(try cursor.last())
        #expect(try !cursor.next())
        #expect(try !cursor.next())
        #expect(try cursor.first())
        #expect(try !cursor.previous())
    }

    @Test("A cursor over an empty table finds nothing, and its key and value are empty")
    func anEmptyTable() throws {
        let empty = try environment.table("empty")
        let snapshot = try environment.snapshot()
        var cursor = try snapshot.cursor(empty)
        #expect(try !cursor.first())
        #expect(try !cursor.last())
        #expect(try !cursor.next())
        #expect(try !cursor.previous())
        #expect(cursor.key.array == [])
        #expect(cursor.value.array == [])
    }

    @Test("A cursor of a write transaction shows its changes")
    func aWriterSeesItsOwnChanges() throws {
        var write = try environment.write()
        try write.put(numbers, 3, [])
        do {
            var cursor = try write.cursor(numbers)
            #expect(try cursor.seek(3))
            #expect(cursor.integerKey == 3)
            #expect(try cursor.next())
            #expect(cursor.integerKey == 256)
        }
        #expect(try write.delete(numbers, 256))
        let gone = try write.get(numbers, 256) == nil
        #expect(gone)
    }

    @Test("A key of another kind than the table's is refused")
    func theWrongKindIsRefused() throws {
        let snapshot = try environment.snapshot()
        #expect(code { _ = try snapshot.text(numbers, "word") } == .misuse)
        #expect(code { _ = try snapshot.text(words, 1) } == .misuse)
        var cursor = try snapshot.cursor(words)
        do {
            _ = try cursor.seek(1)
            Issue.record("a number was sought among words")
        } catch {
            #expect(error.code == .misuse)
        }
    }

    @Test("A table of another environment is refused")
    func anotherEnvironmentsTableIsRefused() throws {
        let other = try Environment(directory: folder.path + "/other", access: .readWrite)
        let foreign = try other.table("words")
        let snapshot = try environment.snapshot()
        #expect(code { _ = try snapshot.text(foreign, "a") } == .misuse)
        #expect(code { _ = try snapshot.count(foreign) } == .misuse)
    }
}
