import Testing

@testable import EventLog

/// Tests a publication or a closing that happens between a waiter's check of the head and its entry into the queue. Without a second check
/// of the head, neither would ever wake the waiter.
@Suite struct LiningUpTests {
    private func isLinedUp(for position: UInt64, at signal: HeadSignal) -> Bool {
        let wake = HeadSignal.Wake.thread(ThreadSemaphore())
        return signal.enqueue(signal.nextNumber(), Position(position), HeadSignal.deadline(in: 0), wake)
    }

    @Test("No waiter is queued for a position that was published meanwhile")
    func nobodyLinesUpForWhatWasPublishedMeanwhile() {
        let signal = HeadSignal()
        signal.publish(Position(5))
        #expect(!isLinedUp(for: 4, at: signal))
        #expect(!isLinedUp(for: 5, at: signal))
        #expect(isLinedUp(for: 6, at: signal))
    }

    @Test("No waiter is queued at a closed signal")
    func nobodyLinesUpAtAClosedSignal() {
        let signal = HeadSignal()
        signal.close()
        #expect(!isLinedUp(for: 1, at: signal))
    }
}
