import Foundation
import Patience
import Synchronization
import Testing

@testable import EventLog

/// The stored index must never cover more events than the log. Otherwise it could contain staged events that are then lost, and whose
/// positions the log assigns again.
@Suite(.temporaryFolder) struct FlushOrderTests {
    @Test("The index covers no event that is not stored")
    func aPartWaitsForItsEventsToBeStored() throws {
        let log = try Sandbox().open(options: .tiny(flush: 1, stall: 1_000))
        let appender = try log.appender()
        let index = try #require(log.index)
        for number in 1...30 {
            try appender.stage(event(.stamped, card(UInt128(number))))
            let batch = try appender.seal()
            // Once the previous part is flushed, `forgetStored` freezes the memory part, whose events are not on disk yet.
            try eventually("the previous part is flushed") { index.state.withLock { $0.frozen == nil } }
            try appender.forgetStored()
            try eventually("the flusher waits for the log, or wrongly has not waited") {
                log.headSignal.waiterCount == 1 || index.status.covered > log.head || index.status.failure != nil
            }
            #expect(index.status.covered <= log.head)
            #expect(index.status.failure == nil)
            try log.commit(batch, by: LocalCommit())
        }
        #expect(try appender.positions(matching: .tags(card(30))) == [Position(30)])
        try log.close()
        #expect(index.status.covered == Position(30))
    }

    /// Makes the first commit fail after a wait for ``fail()``.
    private final class BlockedCommit: BatchDurability {
        private let failing = ThreadSemaphore()
        let hasBegun = Shared(false)

        func fail() { failing.signal() }

        func makeDurable(
            _ batch: EncodedBatch, commitLocally: (EncodedBatch) throws(EventLogError) -> Void
        ) throws(EventLogError) {
            hasBegun.value = true
            _ = failing.wait(seconds: patienceSeconds)
            throw EventLogError(.io, "injected")
        }
    }

    @Test("If a commit fails while the decider waits for the index, every request is refused, and the writer ends")
    func aFailedCommitEndsTheWait() throws {
        let durability = BlockedCommit()
        var options = EventLog.Options.tiny(flush: 1, stall: 2)
        options.durability = durability
        let log = try Sandbox().open(options: options)
        let index = try #require(log.index)
        let writer = GroupCommit(log: log, onFailure: { _ in }) { AppendDecider(appender: $0) }
        writer.start()
        let refused = Shared(0)
        func offer() {
            let request = AppendRequest(events: [event(.stamped, card(1)), event(.stamped, card(2))], condition: nil)
            writer.offer(request) { if case .failure(.stopped) = $0 { refused.update { $0 += 1 } } }
        }
        offer()
        try eventually("the first request is being committed") { durability.hasBegun.value }
        offer()
        try eventually("the part with the first request is frozen") { index.state.withLock { $0.frozen != nil } }
        offer()
        try eventually("the decider waits for the index") { index.state.withLock { $0.isWriterWaiting } }
        durability.fail()
        try eventually("every request is refused") { refused.value == 3 }
        writer.stop()
        #expect((writer.failure as? EventLogError)?.detail == "injected")
        try log.close()
    }
}
