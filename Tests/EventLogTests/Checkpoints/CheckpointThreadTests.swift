import Dispatch
import EventLog
import Foundation
import Glibc
import Merkle
import Patience
import Testing

/// The thread that signs checkpoints while events are committed, and concurrent requests for checkpoints.
@Suite(.temporaryFolder) struct CheckpointThreadTests {
    @Test("The keeper's thread signs new commits")
    func commitsAreSignedWithoutBeingAskedFor() throws {
        let signed = try Signed(try Sandbox())
        signed.keeper.start()
        for size in [3, 10, 11] as [UInt64] {
            try signed.append(Int(size - signed.log.head.rawValue))
            try eventually("the keeper\'s thread") { signed.size == size }
            #expect(signed.sandbox.keptNote == signed.keeper.latest.note.bytes)
        }
        try signed.close()
    }

    /// The interval between checkpoints is an hour. Closing must wait neither for the end of the interval nor for a commit.
    @Test("Closing does not wait for the interval between checkpoints")
    func closingEndsTheThreadAtOnce() throws {
        for appends in [false, true] {
            let signed = try Signed(try Sandbox(), intervalSeconds: 3_600)
            signed.keeper.start()
            if appends {
                try signed.append(1)
                try eventually("the keeper\'s thread") { signed.size == 1 }
                try signed.append(1)
            }
            try signed.close()
            #expect(signed.size == (appends ? 2 : 0))
        }
    }

    @Test("A keeper can be closed after its log")
    func aLogThatIsClosedFirstEndsTheThreadToo() throws {
        let signed = try Signed(try Sandbox())
        signed.keeper.start()
        try signed.log.close()
        try signed.keeper.close()
    }

    @Test("Consecutive failures are reported once and retried")
    func aFailureIsToldOnceAndTriedAgain() throws {
        let signed = try Signed(try Sandbox())
        let told = Shared<[EventLogError.Code]>([])
        try signed.sandbox.blockCheckpoint()
        signed.keeper.start { error in told.update { $0.append(error.code) } }
        try signed.append(1)
        try eventually("the keeper\'s thread") { !told.value.isEmpty }
        #expect(signed.keeper.failure?.code == .storage && signed.size == 0)
        try signed.sandbox.unblockCheckpoint()
        try eventually("the keeper\'s thread") { signed.size == 1 }
        #expect(told.value == [.storage] && signed.keeper.failure == nil)
        try signed.close()
    }

    @Test("The last failure and the last checkpoint can be read while the disk does not answer")
    func aStalledDiskBlocksOnlySigning() throws {
        let signed = try Signed(try Sandbox())
        let (keeper, signing, read) = (signed.keeper, DispatchGroup(), DispatchSemaphore(value: 0))
        try signed.append(1)
        let disk = try StalledFile(at: signed.sandbox.checkpoint + ".new")
        DispatchQueue.global().async(group: signing) { _ = try? keeper.checkpoint(covering: Position(1)) }
        do {
            defer {
                disk.fail()
                try? signing.waitInTime("the checkpoint is refused")
                disk.close()
            }
            try eventually("the checkpoint is being stored") { try disk.isBeingWritten }
            DispatchQueue.global().async {
                _ = (keeper.failure, keeper.latest)
                read.signal()
            }
            let isRead = read.wait(timeout: .now() + patienceSeconds) == .success
            #expect(isRead)
        }
        #expect(keeper.failure != nil && signed.size == 0)
        try signed.close()
        #expect(keeper.failure == nil && signed.size == 1)
    }

    /// Every checkpoint that was returned to one of the concurrent requests must cover a prefix of the final log.
    @Test("Concurrent requests get checkpoints of one history")
    func allWhoAskAtOnceGetCheckpointsOfOneHistory() throws {
        let signed = try Signed(try Sandbox())
        let (log, keeper, askers) = (signed.log, signed.keeper, DispatchGroup())
        let shown = Shared<Set<Checkpoint>>([])
        keeper.start()
        for _ in 0..<4 {
            DispatchQueue.global().async(group: askers) {
                while keeper.latest.checkpoint.size < 700 {
                    guard let one = try? keeper.checkpoint(covering: log.head) else { continue }
                    shown.update { $0.insert(one.checkpoint) }
                }
            }
        }
        for _ in 0..<100 {
            try signed.append(7)
            let own = try keeper.checkpoint(covering: log.head).checkpoint
            shown.update { $0.insert(own) }
        }
        try askers.waitInTime("everybody has got the newest checkpoint")
        for checkpoint in shown.value { #expect(try log.root(through: Position(checkpoint.size)) == checkpoint.root) }
        #expect(shown.value.count >= 100)
        try signed.close()
    }
}

/// A file whose writer blocks, as on a disk that does not answer. It is a full pipe.
private final class StalledFile {
    private let path: String
    private let descriptor: Int32

    init(at path: String) throws {
        try #require(unsafe mkfifo(path, 0o600) == 0)
        // This side can also read, so that the writer can open the pipe at once, and its write causes no SIGPIPE.
        let descriptor = unsafe open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        try #require(descriptor >= 0)
        (self.path, self.descriptor) = (path, descriptor)
        let page = [UInt8](repeating: 0, count: 4_096)
        while unsafe page.withUnsafeBytes({ buffer in unsafe Glibc.write(descriptor, buffer.baseAddress, buffer.count) }) > 0 {}
    }

    /// Whether a writer has opened the file. Its write blocks until ``fail()``.
    var isBeingWritten: Bool {
        get throws {
            let (files, folder) = (FileManager.default, "/proc/self/fd/")
            let own = try files.destinationOfSymbolicLink(atPath: folder + "\(descriptor)")
            let open = try files.contentsOfDirectory(atPath: folder)
            return open.filter { (try? files.destinationOfSymbolicLink(atPath: folder + $0)) == own }.count > 1
        }
    }

    /// Removes the file's name, and lets the writer continue. Its flush fails, because a pipe cannot be flushed.
    func fail() {
        _ = unsafe unlink(path)
        var page = [UInt8](repeating: 0, count: 4_096)
        let descriptor = descriptor
        while unsafe page.withUnsafeMutableBytes({ buffer in unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count) }) > 0 {}
    }

    /// Closes the pipe. A writer that is still blocked would get a SIGPIPE, so wait for it first.
    func close() { _ = Glibc.close(descriptor) }
}
