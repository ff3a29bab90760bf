import Foundation
import Patience
import Synchronization
import Testing

@testable import EventLog

/// The stored index must never cover more events than the log. Otherwise it could contain staged events that are then lost, and whose
/// positions the log assigns again.
@Suite(.temporaryFolder) struct FlushOrderTests {
    @Test func aPartWaitsForItsEventsToBeStored() throws {
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
            try log.commit(batch)
        }
        #expect(try appender.positions(matching: .tags(card(30))) == [Position(30)])
        try log.close()
        #expect(index.status.covered == Position(30))
    }
}
