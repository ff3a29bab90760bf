import Foundation
import Patience
import Synchronization
import Testing

@testable import LMDB

/// Readers in other processes: the slots of killed readers are cleared soon, and live readers are reported.
@Suite(.timeLimit(.minutes(15))) struct ReaderTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Creates a writer with one table. Each commit changes the same few pages.
    private func writer() throws -> (Environment, Table) {
        var options = Environment.Options()
        options.durability = .none
        let environment = try Environment(directory: folder.environment, access: .readWrite, options: options)
        return (environment, try environment.table("words"))
    }

    private func rewrite(_ environment: Environment, _ table: Table, times: Int) throws {
        for round in 0..<times {
            var write = try environment.write()
            for key in 0..<20 { try write.put(table, "\(key)".bytes, [UInt8](repeating: UInt8(truncatingIfNeeded: round), count: 500)) }
            try write.commit()
        }
    }

    /// The growth of the file's used part, in bytes, during this many commits.
    private func growth(_ environment: Environment, _ table: Table, commits: Int) throws -> Int {
        let before = environment.statistics.usedBytes
        try rewrite(environment, table, times: commits)
        return environment.statistics.usedBytes - before
    }

    private func killedReader() async throws {
        let child = try ChildProcess("childHoldsASnapshot", ["GREENTEA_CHILD_READER": folder.path])
        _ = try await child.said(folder.path + "/said")
        child.kill9()
    }

    @Test(.enabled(if: ChildProcess.environment["GREENTEA_CHILD_READER"] != nil)) func childHoldsASnapshot() throws {
        let path = try #require(ChildProcess.environment["GREENTEA_CHILD_READER"])
        try Self.holdASnapshot(path + "/environment", path + (ChildProcess.environment["GREENTEA_CHILD_SAYS"] ?? "/said"))
    }

    private static func holdASnapshot(_ directory: String, _ file: String) throws {
        let environment: Environment
        do { environment = try Environment(directory: directory, access: .readOnly) } catch {
            return try ChildProcess.say("\(error.code)", to: file)
        }
        let snapshot = try environment.snapshot()
        try ChildProcess.say("holds \(getpid())", to: file)
        withExtendedLifetime(snapshot.transaction) {}
    }

    @Test("A killed reader's snapshot holds no pages after a check") func checked() async throws {
        let (environment, table) = try writer()
        try rewrite(environment, table, times: 20)
        #expect(try growth(environment, table, commits: 20) == 0, "no reader holds pages")
        try await killedReader()
        #expect(environment.readers.count == 1)
        #expect(try growth(environment, table, commits: 20) > 20 * 4_096, "the dead reader holds its snapshot's pages")
        #expect(environment.clearDeadReaders() == 1)
        #expect(environment.readers == [])
        try rewrite(environment, table, times: 3)
        #expect(try growth(environment, table, commits: 40) == 0, "no reader holds pages any more")
    }

    @Test("A killed reader's snapshot holds no pages after a bounded number of commits") func bounded() async throws {
        let (environment, table) = try writer()
        try rewrite(environment, table, times: 20)
        try await killedReader()
        try rewrite(environment, table, times: Limits.commitsPerReaderCheck)
        #expect(environment.deadReadersCleared == 1)
        try rewrite(environment, table, times: 3)
        #expect(try growth(environment, table, commits: 100) == 0)
    }

    @Test("A live snapshot is reported with its process and its commit, and is not cleared") func live() throws {
        let (environment, table) = try writer()
        try rewrite(environment, table, times: 5)
        let transaction = environment.statistics.lastTransaction
        do {
            let snapshot = try environment.snapshot()
            try rewrite(environment, table, times: 7)
            #expect(environment.clearDeadReaders() == 0)
            #expect(environment.readers == [.init(process: getpid(), transaction: transaction)])
            #expect(environment.statistics.lastTransaction == transaction + 7)
            #expect(try snapshot.count(table) == 20)
        }
        #expect(environment.readers == [], "an idle transaction holds no snapshot")
    }

    // MARK: - PID namespaces

    /// The beginning of a command line that starts a program as process 1 of a new PID namespace, as in a container.
    private static let newNamespace = ["/usr/bin/unshare", "--pid", "--fork", "--kill-child"]

    /// The reason why this process cannot create a namespace; nil if it can.
    private static let hindrance: String? = {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: newNamespace[0])
        process.arguments = Array(newNamespace.dropFirst()) + ["true"]
        process.standardError = FileHandle.nullDevice
        do { try process.runInTime() } catch { return "unshare cannot be started: \(error)" }
        process.waitUntilExit()
        return process.terminationStatus == 0 ? nil : "this process may not make a PID namespace"
    }()

    private func childInANamespace(_ file: String) throws -> ChildProcess {
        let variables = ["GREENTEA_CHILD_READER": folder.path, "GREENTEA_CHILD_SAYS": file]
        return try ChildProcess("childHoldsASnapshot", variables, launcher: Self.newNamespace)
    }

    @Test(
        "The writer sees a reader in another namespace as alive, and clears it after it was killed",
        .enabled(if: hindrance == nil, "\(hindrance ?? "")"))
    func otherNamespace() async throws {
        let (environment, table) = try writer()
        try rewrite(environment, table, times: 5)
        let child = try childInANamespace("/first")
        #expect(try await child.said(folder.path + "/first") == "holds 1")
        #expect(environment.clearDeadReaders() == 0, "the reader's lock is seen across namespaces")
        #expect(environment.readers.map(\.process) == [1])
        child.kill9()
        #expect(environment.clearDeadReaders() == 1)
    }

    @Test("A process of the same id in another namespace gets a specific error", .enabled(if: hindrance == nil, "\(hindrance ?? "")"))
    func sameID() async throws {
        let (environment, table) = try writer()
        try rewrite(environment, table, times: 5)
        let first = try childInANamespace("/first")
        #expect(try await first.said(folder.path + "/first") == "holds 1")
        let second = try childInANamespace("/second")
        #expect(try await second.said(folder.path + "/second") == "sameProcessID")
        #expect(environment.readers.map(\.process) == [1], "the rejected process has changed no slot")
        second.kill9()
        first.kill9()
        // A program in a restarted container has the same process id as before. LMDB alone would treat the slot of the killed program as a
        // slot of the new program, and would never clear it.
        let third = try childInANamespace("/third")
        #expect(try await third.said(folder.path + "/third") == "holds 1")
        #expect(environment.readers.count == 1, "the first process's slot is cleared")
    }
}
