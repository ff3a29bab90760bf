import Dispatch
import EventLog
import Foundation
import Merkle
import Patience
import Testing

/// The thread that signs checkpoints while events are committed, and concurrent requests for checkpoints.
@Suite(.temporaryFolder) struct CheckpointThreadTests {
    @Test func commitsAreSignedWithoutBeingAskedFor() throws {
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
    @Test func closingEndsTheThreadAtOnce() throws {
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

    @Test func aLogThatIsClosedFirstEndsTheThreadToo() throws {
        let signed = try Signed(try Sandbox())
        signed.keeper.start()
        try signed.log.close()
        try signed.keeper.close()
    }

    @Test func aFailureIsToldOnceAndTriedAgain() throws {
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

    /// Every checkpoint that was returned to one of the concurrent requests must cover a prefix of the final log.
    @Test func allWhoAskAtOnceGetCheckpointsOfOneHistory() throws {
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
        askers.wait()
        for checkpoint in shown.value { #expect(try log.root(through: Position(checkpoint.size)) == checkpoint.root) }
        #expect(shown.value.count >= 100)
        try signed.close()
    }
}
