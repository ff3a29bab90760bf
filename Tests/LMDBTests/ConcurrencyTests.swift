import Foundation
import LMDB
import Patience
import Synchronization
import Testing

/// Many readers on many threads with a concurrent writer.
@Suite(.timeLimit(.minutes(15))) struct ConcurrencyTests {
    let folder: TemporaryFolder
    let environment: Environment
    let table: Table

    init() throws {
        folder = try TemporaryFolder()
        var options = Environment.Options()
        options.durability = .none
        environment = try Environment(directory: folder.environment, access: .readWrite, options: options)
        table = try environment.table("numbers", .integer)
    }

    /// Each commit sets every number to the number of its round, so a reader that sees two different numbers has seen part of a commit.
    @Test("A reader never sees a part of a commit")
    func aReaderNeverSeesHalfACommit() throws {
        let threads = Threads()
        let done = Atomic<Bool>(false)
        try writeRound(0)
        for _ in 0..<8 {
            threads.start {
                var last: UInt8 = 0
                while !done.load(ordering: .relaxed) { last = try self.readRound(after: last) }
            }
        }
        for round in 1...200 as ClosedRange<UInt8> { try writeRound(round) }
        done.store(true, ordering: .relaxed)
        try threads.join()
    }

    private func writeRound(_ round: UInt8) throws {
        var write = try environment.write()
        for key in 0..<50 as Range<UInt64> { try write.put(table, key, [UInt8](repeating: round, count: 300)) }
        try write.commit()
    }

    private func readRound(after last: UInt8) throws -> UInt8 {
        let snapshot = try environment.snapshot()
        var cursor = try snapshot.cursor(table)
        guard try cursor.first() else { throw TestFailure("an empty table") }
        let round = cursor.value[0]
        guard round >= last else { throw TestFailure("round \(round) after \(last)") }
        while try cursor.next() {
            guard cursor.value[0] == round, cursor.value[299] == round else { throw TestFailure("a torn commit") }
        }
        return round
    }

    @Test("Write transactions of several threads lose no change")
    func writersOfManyThreadsTakeTurns() throws {
        let threads = Threads()
        for _ in 0..<6 {
            threads.start { for _ in 0..<50 { try self.increment() } }
        }
        try threads.join()
        let snapshot = try environment.snapshot()
        let found = try snapshot.get(table, 0)
        guard let found else { throw TestFailure("never written") }
        #expect(Int(found[0]) + Int(found[1]) << 8 == 300)
    }

    private func increment() throws {
        var write = try environment.write()
        var count = 1
        if let old = try write.get(table, 0) { count += Int(old[0]) + Int(old[1]) << 8 }
        try write.put(table, 0, [UInt8(count & 255), UInt8(count >> 8)])
        try write.commit()
    }

    @Test("A snapshot is read by another thread after a suspension")
    func aSnapshotMayMoveBetweenThreadsAcrossAnAwait() async throws {
        try writeRound(9)
        for _ in 0..<100 {
            let snapshot = try environment.snapshot()
            await Task.yield()
            let found = try snapshot.get(table, 7)
            guard let found else { throw TestFailure("lost") }
            #expect(found[0] == 9)
        }
    }

    @Test("The last release closes the environment, whichever thread does it")
    func theLastReleaseClosesWhicheverThreadDoesIt() throws {
        let directory = folder.path + "/other"
        for _ in 0..<20 {
            let threads = Threads()
            let environment = try openWhenClosed(directory)
            for _ in 0..<4 { threads.start { _ = try environment.snapshot() } }
            try threads.join()
        }
    }

    /// Opens an environment as soon as the previous one is closed. A thread may release the environment some time after its last line, so
    /// opening is retried.
    private func openWhenClosed(_ directory: String) throws -> Environment {
        var opened: Environment?
        try eventually("the environment is closed") {
            do throws(LMDBError) { opened = try Environment(directory: directory, access: .readWrite) } catch {
                guard error.code == .alreadyOpen else { throw error }
            }
            return opened != nil
        }
        return try #require(opened)
    }
}
