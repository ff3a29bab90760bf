import LMDB
import Testing

/// Stored values are read back, in every kind of table, at every size, and after reopening.
@Suite struct RoundTripTests {
    let folder: TemporaryFolder
    let environment: Environment

    init() throws {
        folder = try TemporaryFolder()
        environment = try Environment(directory: folder.environment, access: .readWrite)
    }

    @Test("A stored value is found under its key only")
    func bytesComeBack() throws {
        let table = try environment.table("words")
        var write = try environment.write()
        let (key, value) = ("tea".bytes, "茶".bytes)
        try write.put(table, key.span, value.span)
        try write.commit()
        let snapshot = try environment.snapshot()
        #expect(try snapshot.text(table, "tea") == "茶")
        #expect(try snapshot.text(table, "milk") == nil)
        #expect(try snapshot.count(table) == 1)
    }

    @Test("A stored value is found under its number only", arguments: [0, 1, 255, 256, UInt64.max])
    func numbersComeBack(key: UInt64) throws {
        let table = try environment.table("numbers", .integer)
        var write = try environment.write()
        try write.put(table, key, "value".bytes)
        try write.commit()
        let snapshot = try environment.snapshot()
        #expect(try snapshot.text(table, key) == "value")
        #expect(try snapshot.text(table, key ^ 1) == nil)
    }

    /// The sizes of values: empty, inline, just inside and just outside a page, and on many overflow pages.
    @Test("Values from none to a million bytes are read as they were stored", arguments: [0, 1, 2_000, 4_080, 4_096, 65_535, 1_000_000])
    func valuesOfAnySize(count: Int) throws {
        let value = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let table = try environment.table("sizes")
        var write = try environment.write()
        try write.put(table, [1], value)
        try write.commit()
        let snapshot = try environment.snapshot()
        let found = try snapshot.get(table, [1])
        guard let found else { throw TestFailure("not found") }
        #expect(found.array == value)
    }

    @Test("A second put replaces the value")
    func putReplaces() throws {
        let table = try environment.table("words")
        var write = try environment.write()
        try write.put(table, "tea".bytes, "one".bytes)
        try write.put(table, "tea".bytes, "two".bytes)
        try write.commit()
        let snapshot = try environment.snapshot()
        #expect(try snapshot.text(table, "tea") == "two")
        #expect(try snapshot.count(table) == 1)
    }

    @Test("A deletion returns whether the key existed")
    func deleteSaysWhetherItWasThere() throws {
        let words = try environment.table("words")
        let numbers = try environment.table("numbers", .integer)
        var write = try environment.write()
        try write.put(words, "tea".bytes, [])
        try write.put(numbers, 7, [])
        #expect(try write.delete(words, "tea".bytes))
        #expect(try !write.delete(words, "tea".bytes))
        #expect(try write.delete(numbers, 7))
        #expect(try !write.delete(numbers, 7))
        try write.commit()
        let snapshot = try environment.snapshot()
        #expect(try snapshot.count(words) == 0)
        #expect(try snapshot.count(numbers) == 0)
    }

    @Test("Removing all entries empties one table and no other")
    func removeAllEmptiesOneTable() throws {
        let first = try environment.table("first", .integer)
        let second = try environment.table("second", .integer)
        var write = try environment.write()
        for key in 0..<1_000 as Range<UInt64> {
            try write.put(first, key, [1])
            try write.put(second, key, [2])
        }
        try write.removeAll(first)
        #expect(try write.count(first) == 0)
        #expect(try write.count(second) == 1_000)
        try write.put(first, 5, [3])
        try write.commit()
        let snapshot = try environment.snapshot()
        #expect(try snapshot.count(first) == 1)
    }

    @Test("An appended number that is not greater than the last is refused")
    func appendRefusesWhatIsNotGreater() throws {
        let table = try environment.table("log", .integer)
        var write = try environment.write()
        try write.append(table, 5, "five".bytes)
        try write.append(table, 6, "six".bytes)
        let same = #expect(throws: LMDBError.self) { () throws in try refused(&write, table, 6) }
        #expect(same?.code == .outOfOrder)
        let less = #expect(throws: LMDBError.self) { () throws in try refused(&write, table, 2) }
        #expect(less?.code == .outOfOrder)
    }

    @Test("Values that are written directly into the page are read as they were written")
    func reservedBytesAreWrittenInPlace() throws {
        let table = try environment.table("log", .integer)
        var write = try environment.write()
        for key in 1...300 as ClosedRange<UInt64> {
            try write.append(table, key, count: 200) { page in
                for index in 0..<200 { page.append(UInt8(truncatingIfNeeded: index &+ Int(key))) }
            }
        }
        try write.commit()
        let snapshot = try environment.snapshot()
        for key in 1...300 as ClosedRange<UInt64> {
            let found = try snapshot.get(table, key)
            guard let found else { throw TestFailure("lost \(key)") }
            #expect(found.array == (0..<200).map { UInt8(truncatingIfNeeded: $0 &+ Int(key)) })
        }
    }

    @Test("A value with fewer bytes than reserved is refused and removed")
    func anUnfilledReservationIsRemoved() throws {
        let table = try environment.table("log", .integer)
        var write = try environment.write()
        let error = #expect(throws: LMDBError.self) { () throws in
            try unfilled(&write, table)
        }
        #expect(error?.code == .misuse)
        #expect(try write.count(table) == 0)
    }

    @Test("A commit is there after a reopening")
    func everythingIsThereAfterReopening() throws {
        let directory = folder.path + "/deep/er/environment"
        do {
            let first = try Environment(directory: directory, access: .readWrite)
            let table = try first.table("words")
            var write = try first.write()
            try write.put(table, "tea".bytes, "茶".bytes)
            try write.commit()
        }
        let second = try Environment(directory: directory, access: .readOnly)
        let table = try second.table("words")
        let snapshot = try second.snapshot()
        #expect(try snapshot.text(table, "tea") == "茶")
    }

    private func refused(_ write: inout WriteTransaction, _ table: Table, _ key: UInt64) throws {
        try write.append(table, key, "again".bytes)
    }

    private func unfilled(_ write: inout WriteTransaction, _ table: Table) throws {
        try write.append(table, 1, count: 9) { page in page.append(1) }
    }
}
