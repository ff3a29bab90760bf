import Dispatch
import Foundation
import Loyalty
import Synchronization
import Testing

@testable import CommandService

/// The queue alone, with commands that are never decided.
@Suite struct WriterQueueTests {
    @Test func takesInTheOrderOfArrivalAndAtMostSoMany() {
        let queue = WriterQueue(limit: 10)
        for number in 1...5 { #expect(queue.offer(waiter(number)) == .taken) }
        #expect(numbers(queue.take(max: 2)) == [1, 2])
        #expect(queue.offer(waiter(6)) == .taken)
        #expect(numbers(queue.take(max: 3)) == [3, 4, 5])
        #expect(numbers(queue.take(max: .max)) == [6])
        #expect(queue.depth == 0)
    }

    @Test func refusesWhenFullAndKeepsNothingOfTheRefused() {
        let queue = WriterQueue(limit: 3)
        for number in 1...3 { #expect(queue.offer(waiter(number)) == .taken) }
        for number in 4...9 { #expect(queue.offer(waiter(number)) == .full) }
        #expect(queue.depth == 3)
        #expect(numbers(queue.take(max: 10)) == [1, 2, 3])
        #expect(queue.offer(waiter(10)) == .taken)
        #expect(numbers(queue.take(max: 10)) == [10])
    }

    @Test func stoppedRefusesButStillGivesOutWhatWaits() {
        let queue = WriterQueue(limit: 3)
        _ = queue.offer(waiter(1))
        _ = queue.offer(waiter(2))
        queue.stop()
        #expect(queue.offer(waiter(3)) == .stopped)
        #expect(numbers(queue.take(max: 1)) == [1])
        #expect(numbers(queue.take(max: 1)) == [2])
        #expect(queue.take(max: 1)?.count == nil)
        #expect(queue.take(max: 1)?.count == nil)
    }

    @Test func stopWakesASleepingWriter() {
        let queue = WriterQueue(limit: 3)
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            while queue.take(max: 8) != nil {}
            ended.signal()
        }
        Thread.sleep(forTimeInterval: 0.01)
        queue.stop()
        #expect(ended.wait(timeout: .now() + 10) == .success)
    }

    /// Many threads against one writer: everything that was taken comes out once, and each thread's in its own order.
    @Test func losesNothingAndWakesWhateverTheInterleaving() {
        let (threads, each) = (8, 2_000)
        let queue = WriterQueue(limit: 64)
        let taken = Mutex<[Int]>([])
        let group = DispatchGroup()
        for thread in 0..<threads {
            Thread.detach(in: group) { Self.offerAll(from: thread * each, count: each, to: queue) }
        }
        let writer = DispatchGroup()
        Thread.detach(in: writer) {
            while let waiters = queue.take(max: 17) { taken.withLock { $0 += numbers(waiters) } }
        }
        group.wait()
        queue.stop()
        writer.wait()
        let all = taken.withLock { $0 }
        #expect(all.sorted() == Array(0..<threads * each))
        for thread in 0..<threads {
            let own = all.filter { $0 / each == thread }
            #expect(own == own.sorted())
        }
    }

    private static func offerAll(from first: Int, count: Int, to queue: WriterQueue) {
        for number in first..<first + count {
            while queue.offer(waiter(number)) == .full { Thread.sleep(forTimeInterval: 0.000_01) }
        }
    }
}

/// A waiter that can be told from others by its actor.
private func waiter(_ number: Int) -> Waiter {
    let caller = Caller(account: AccountID(UInt128(number)))
    return Waiter(submission: Submission(command: .discardCard(DiscardCard(card: CardID(1))), caller: caller, at: nil)) { _ in }
}

private func numbers(_ waiters: [Waiter]?) -> [Int] {
    (waiters ?? []).map { Int($0.submission.caller.account.value) }
}

extension Thread {
    /// A plain thread that a group waits for.
    fileprivate static func detach(in group: DispatchGroup, _ work: @escaping @Sendable () -> Void) {
        group.enter()
        detachNewThread {
            work()
            group.leave()
        }
    }
}
