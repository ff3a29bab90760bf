import LMDB
import Testing

/// The moment from which changes are visible to readers, and the rules for transactions and tables.
@Suite struct TransactionTests {
    let folder: TemporaryFolder
    let environment: Environment
    let table: Table

    init() throws {
        folder = try TemporaryFolder()
        var options = Environment.Options()
        options.maxReaders = 32
        environment = try Environment(directory: folder.environment, access: .readWrite, options: options)
        table = try environment.table("words")
    }

    private func put(_ value: String) throws {
        var write = try environment.write()
        try write.put(table, "key".bytes, value.bytes)
        try write.commit()
    }

    @Test("A snapshot does not show later commits")
    func aSnapshotDoesNotMove() throws {
        try put("one")
        let before = try environment.snapshot()
        try put("two")
        let after = try environment.snapshot()
        #expect(try before.text(table, "key") == "one")
        #expect(try after.text(table, "key") == "two")
    }

    @Test("A new snapshot always shows the last commit")
    func aRestedSnapshotIsRenewedToTheNewestCommit() throws {
        for round in 0..<200 {
            try put("\(round)")
            #expect(try environment.snapshot().text(table, "key") == "\(round)")
        }
    }

    @Test("A change is visible only after its commit")
    func nothingIsSeenBeforeTheCommit() throws {
        try put("one")
        var write = try environment.write()
        try write.put(table, "key".bytes, "two".bytes)
        #expect(try environment.snapshot().text(table, "key") == "one")
        try write.commit()
        #expect(try environment.snapshot().text(table, "key") == "two")
    }

    @Test("A dropped transaction changes nothing, and the next one works")
    func droppingUndoes() throws {
        try put("one")
        do {
            var write = try environment.write()
            try write.put(table, "key".bytes, "two".bytes)
        }
        #expect(try environment.snapshot().text(table, "key") == "one")
        try put("three")
        #expect(try environment.snapshot().text(table, "key") == "three")
    }

    @Test("A transaction that an error ends changes nothing")
    func aThrownErrorUndoes() throws {
        try put("one")
        #expect(code { try self.putThenFail() } == .keyTooLong)
        #expect(try environment.snapshot().text(table, "key") == "one")
    }

    private func putThenFail() throws {
        var write = try environment.write()
        try write.put(table, "key".bytes, "two".bytes)
        try write.put(table, [], "no key".bytes)
        try write.commit()
    }

    @Test("An empty key, and one beyond the limit, are refused", arguments: [0, Limits.keyBytesMax + 1])
    func keysHaveALength(count: Int) throws {
        var write = try environment.write()
        do {
            try write.put(table, [UInt8](repeating: 1, count: count), [])
            Issue.record("a key of \(count) bytes was stored")
        } catch {
            #expect(error.code == .keyTooLong)
            #expect(error.call == "mdb_put")
        }
        try write.put(table, [UInt8](repeating: 1, count: Limits.keyBytesMax), [])
    }

    @Test("A second write transaction of the same thread is refused")
    func aSecondWriteOnTheSameThreadIsRefused() throws {
        let write = try environment.write()
        #expect(code { _ = try environment.write() } == .misuse)
        #expect(code { _ = try environment.table("late") } == .misuse)
        try write.commit()
        #expect(code { _ = try environment.write() } == nil)
    }

    @Test("Snapshots beyond the reader slots are refused, and ended ones free their slots")
    func readersFullAtTheLimit() throws {
        try put("one")
        #expect(code { try self.hold(1_000) } == .readersFull)
        #expect(code { try self.hold(5) } == nil, "the reader slots are free again")
    }

    /// Holds `count` snapshots at the same time.
    private func hold(_ count: Int) throws {
        guard count > 0 else { return }
        let snapshot = try environment.snapshot()
        try hold(count - 1)
        #expect(try snapshot.text(table, "key") == "one")
    }

    @Test("An environment that is open for reading refuses to write and to create a table")
    func readOnlyRefusesToWrite() throws {
        let directory = folder.path + "/read"
        do { _ = try Environment(directory: directory, access: .readWrite).table("words") }
        let reader = try Environment(directory: directory, access: .readOnly)
        #expect(code { _ = try reader.write() } == .misuse)
        #expect(code { _ = try reader.table("absent") } == .missing)
    }

    @Test("A table opens only as the kind with which it was created")
    func aTableHasOneKind() throws {
        #expect(try environment.table("words") == table)
        #expect(code { _ = try environment.table("words", .integer) } == .misuse)
        let directory = folder.path + "/kinds"
        do { _ = try Environment(directory: directory, access: .readWrite).table("numbers", .integer) }
        let again = try Environment(directory: directory, access: .readWrite)
        #expect(code { _ = try again.table("numbers", .bytes) } == .misuse)
        #expect(try again.table("numbers", .integer).kind == .integer)
    }

    @Test("A table beyond the limit is refused")
    func thereIsALimitOfTables() throws {
        var options = Environment.Options()
        options.tables = 2
        let small = try Environment(directory: folder.path + "/small", access: .readWrite, options: options)
        _ = try small.table("one")
        _ = try small.table("two")
        #expect(code { _ = try small.table("three") } == .misuse)
    }

    @Test("The statistics count commits")
    func statisticsCountCommits() throws {
        let before = environment.statistics
        try put("one")
        let after = environment.statistics
        #expect(after.lastTransaction == before.lastTransaction + 1)
        #expect(after.pageBytes >= 4_096)
        #expect(after.usedBytes >= 2 * after.pageBytes)
        #expect(after.usedBytes < after.mapBytes)
    }
}
