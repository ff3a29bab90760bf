import Foundation
import Testing

@testable import LMDB

/// Two processes that use one folder. The second process runs this test binary again; the testing library starts it.
@Suite(.timeLimit(.minutes(15))) struct ProcessTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("A second writing process is refused and told the id of the first")
    func aSecondWriterIsRefusedAndToldWhoHoldsTheLock() async throws {
        let environment = try Environment(directory: folder.environment, access: .readWrite)
        await #expect(processExitsWith: .success) { [path = folder.environment as String, holder = getpid() as Int32] in
            let error = openingError(path, .readWrite)
            try #require(error?.code == .locked)
            try #require(error?.text == "held by process \(holder)")
        }
        withExtendedLifetime(environment) {}
    }

    @Test("A reading process sees the commits of the writing one")
    func aReaderBesideTheWriterSeesItsCommits() async throws {
        let environment = try Environment(directory: folder.environment, access: .readWrite)
        try Self.put(environment, "茶")
        await #expect(processExitsWith: .success) { [path = folder.environment as String] in
            let reader = try Environment(directory: path, access: .readOnly)
            let table = try reader.table("words")
            try #require(try reader.snapshot().text(table, "key") == "茶")
        }
        withExtendedLifetime(environment) {}
    }

    @Test("A killed writer leaves its commits and releases the lock")
    func deathGivesTheLockBackAndKeepsTheCommits() async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.environment as String] in
            let environment = try Environment(directory: path, access: .readWrite)
            let table = try environment.table("words")
            try Self.put(environment, "committed")
            try Self.dieWriting(environment, table)
        }
        let environment = try Environment(directory: folder.environment, access: .readWrite)
        let table = try environment.table("words")
        #expect(try environment.snapshot().text(table, "key") == "committed")
        try Self.put(environment, "again")
        #expect(try environment.snapshot().text(table, "key") == "again")
    }

    /// A limit on the file size simulates a full disk: the same system calls fail.
    @Test("A transaction beyond the file size limit is reported as a full disk and stores nothing")
    func theFileSizeLimitIsDiskFullAndStoresNothing() async throws {
        await #expect(processExitsWith: .success) { [path = folder.environment as String] in
            signal(SIGXFSZ, SIG_IGN)
            let environment = try Environment(directory: path, access: .readWrite)
            let table = try environment.table("numbers", .integer)
            var limit = rlimit(rlim_cur: 1 << 20, rlim_max: rlim_t.max)
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            let stored = try Self.fillUntilRefused(environment, table, expecting: .diskFull)
            try #require(stored > 0)
            limit.rlim_cur = rlim_t.max
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            try #require(try environment.snapshot().count(table) == stored, "nothing of the refused transaction is stored")
            try #require(code { try Self.append(environment, table, from: UInt64(stored)) } == nil, "appending works with room")
        }
        #expect(openingError(folder.environment, .readWrite) == nil)
    }

    @Test(
        "An I/O error is reported as a full disk only after a short write to a full disk",
        .enabled(if: SmallDisk.isPossible, "needs the right to mount a tmpfs"))
    func errorOnAFullDisk() throws {
        let disk = try SmallDisk(at: folder.path + "/disk", bytes: 64 << 10)
        #expect(LMDBError(number: EIO, call: "mdb_env_sync", path: disk.path).code == .io)
        #expect(LMDBError(writing: EIO, system: EIO, call: "mdb_txn_commit", path: disk.path).code == .io)
        #expect(LMDBError(writing: EIO, system: 0, call: "mdb_txn_commit", path: disk.path).code == .diskFull, "the disk was full")
        #expect(LMDBError(writing: EIO, system: 0, call: "mdb_txn_commit", path: folder.path).code == .io, "a short write, but room left")
    }

    @Test("A transaction on a full disk stores nothing", .enabled(if: SmallDisk.isPossible, "needs the right to mount a tmpfs"))
    func aFullDiskIsDiskFullAndStoresNothing() throws {
        let disk = try SmallDisk(at: folder.path + "/disk", bytes: 1 << 20)
        let environment = try Environment(directory: disk.path + "/environment", access: .readWrite)
        let table = try environment.table("numbers", .integer)
        let stored = try Self.fillUntilRefused(environment, table, expecting: .diskFull)
        #expect(stored > 0)
        #expect(try environment.snapshot().count(table) == stored)
    }

    @Test(
        "A creation that fails on a full disk leaves no empty file",
        .enabled(if: SmallDisk.isPossible, "needs the right to mount a tmpfs"))
    func creatingOnAFullDiskLeavesNoEmptyFile() throws {
        let disk = try SmallDisk(at: folder.path + "/disk", bytes: 64 << 10)
        try Files.makeFolder(disk.path + "/environment")
        try? Files.write([UInt8](repeating: 1, count: 64 << 10), to: disk.path + "/ballast")
        let error = openingError(disk.path + "/environment", .readWrite)
        #expect(error?.code == .diskFull)
        #expect(!FileManager.default.fileExists(atPath: disk.path + "/environment/data.mdb"))
    }

    @Test(
        "Less address space is reserved if the process may reserve less",
        .enabled(if: AddressSpace.isPlain, "this process has reserved more than the limits of the test, as sanitizers do"))
    func lessAddressSpaceIsReservedWhereLessIsAllowed() async throws {
        await #expect(processExitsWith: .success) { [path = folder.environment as String] in
            var limit = rlimit(rlim_cur: 64 << 30, rlim_max: rlim_t.max)
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
            let environment = try Environment(directory: path, access: .readWrite)
            try #require(environment.statistics.mapBytes < 64 << 30)
            try #require(environment.statistics.mapBytes >= Limits.mapBytesFloor)
            try Self.put(environment, "fits")
        }
    }

    @Test(
        "Too little address space is reported as a full map",
        .enabled(if: AddressSpace.isPlain, "this process has reserved more than the limits of the test, as sanitizers do"))
    func tooLittleAddressSpaceIsAnErrorWithAName() async throws {
        await #expect(processExitsWith: .success) { [path = folder.environment as String] in
            var limit = rlimit(rlim_cur: 1 << 30, rlim_max: rlim_t.max)
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
            let error = openingError(path, .readWrite)
            try #require(error?.code == .mapFull)
            try #require(error?.call == "mdb_env_open")
        }
    }

    private static func put(_ environment: Environment, _ value: String) throws {
        let table = try environment.table("words")
        var write = try environment.write()
        try write.put(table, "key".bytes, value.bytes)
        try write.commit()
    }

    private static func dieWriting(_ environment: Environment, _ table: Table) throws {
        var write = try environment.write()
        try write.put(table, "key".bytes, "never committed".bytes)
        kill(getpid(), SIGKILL)
        sleep(10)
        try write.commit()
    }

    /// Commits batches until one fails, and returns the number of stored entries.
    private static func fillUntilRefused(
        _ environment: Environment, _ table: Table, expecting expected: LMDBError.Code
    ) throws -> Int {
        for batch in 0..<1_000 as Range<UInt64> {
            do {
                try append(environment, table, from: batch * 50)
            } catch let error as LMDBError {
                guard error.code == expected else { throw error }
                return Int(batch) * 50
            }
        }
        throw TestFailure("nothing was refused")
    }

    private static func append(_ environment: Environment, _ table: Table, from first: UInt64) throws {
        var write = try environment.write()
        for key in first..<first + 50 { try write.append(table, key, [UInt8](repeating: 1, count: 1_000)) }
        try write.commit()
    }
}
