import Foundation
import Patience
import Seeds
import Testing

@testable import EventLog

@Suite(.temporaryFolder, .timeLimit(.minutes(15))) struct HeadSignalTests {
    @Test("The head never moves back")
    func theHeadNeverGoesBack() {
        let signal = HeadSignal(Position(3))
        signal.publish(Position(5))
        signal.publish(Position(4))
        #expect(signal.head == Position(5))
    }

    @Test("A wait for a reached position returns at once")
    func whatIsReachedIsNotWaitedFor() async throws {
        let signal = HeadSignal(Position(3))
        #expect(try await signal.reached(Position(3), timeoutSeconds: 0))
        #expect(try await signal.reached(.start))
        #expect(try await signal.reached(Position(4), timeoutSeconds: 0) == false)
    }

    @Test("Tasks are resumed when their position is reached")
    func tasksAreWokenAtTheirPosition() async throws {
        let signal = HeadSignal()
        let woken = Shared<[UInt64]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            var random = SeededRandom.announced("tasksAreWokenAtTheirPosition")
            for position in (1...50).shuffled(using: &random) {
                group.addTask {
                    let reached = try await signal.reached(Position(UInt64(position)), timeoutSeconds: 3_600)
                    #expect(reached)
                    #expect(signal.head >= Position(UInt64(position)))
                    woken.update { $0.append(UInt64(position)) }
                }
            }
            try await eventually("fifty tasks wait") { signal.waiterCount == 50 }
            for head in 1...50 {
                #expect(woken.value.allSatisfy { $0 < UInt64(head) }, "no waiter is woken early")
                signal.publish(Position(UInt64(head)))
                // Waiters are not woken too late either: each one is awake before the next position is published.
                try await eventually("\(head) tasks are awake") { woken.value.count == head }
            }
            try await group.waitForAll()
        }
        #expect(woken.value.count == 50)
    }

    @Test("A timeout ends one wait and no other")
    func aTimeoutComesAndLeavesOthersWaiting() async throws {
        let signal = HeadSignal()
        async let long = signal.reached(Position(1), timeoutSeconds: 3_600)
        try await eventually("the task with the long timeout waits") { signal.waiterCount == 1 }
        let start = ContinuousClock.now
        #expect(try await signal.reached(Position(1), timeoutSeconds: 0.05) == false)
        #expect(start.duration(to: .now) >= .milliseconds(50), "the wait takes at least its timeout of 50 ms")
        #expect(signal.waiterCount == 1)
        signal.publish(Position(1))
        #expect(try await long)
    }

    /// A wait that ends by its timeout returns false, and a cancelled wait throws. So the two can be told apart.
    @Test("A cancelled wait ends at once and throws")
    func cancellationEndsAWaitAtOnce() async throws {
        let signal = HeadSignal()
        let task = Task { try await signal.reached(Position(9), timeoutSeconds: 3_600) }
        try await eventually("the task waits") { signal.waiterCount == 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.valueInTime() }
        #expect(signal.waiterCount == 0)
    }

    @Test("A task that was cancelled before does not wait")
    func aTaskCancelledBeforehandDoesNotWait() async {
        let task = Task {
            // The sleep ends at once when cancelled, so that the wait begins in a task that is already cancelled.
            try? await Task.sleep(for: .seconds(60))
            return try await HeadSignal().reached(Position(9), timeoutSeconds: 60)
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.valueInTime() }
    }

    @Test("Closing ends each wait")
    func closingEndsEveryWait() async throws {
        let signal = HeadSignal()
        let waiting = Task { try await signal.reached(Position(9)) }
        let thread = blocked(on: signal, beyond: Position(4))
        try await eventually("both waiters wait") { signal.waiterCount == 2 }
        signal.publish(Position(4))
        signal.close()
        #expect(try await waiting.valueInTime() == false)
        #expect(try await thread.valueInTime() == Position(4))
        #expect(try await signal.reached(Position(9)) == false, "a wait on a closed signal ends at once")
    }

    @Test("A blocked thread is resumed by the next position")
    func aThreadIsWokenByTheNextPosition() async throws {
        let signal = HeadSignal(Position(4))
        let thread = blocked(on: signal, beyond: Position(4))
        try await eventually("the task waits") { signal.waiterCount == 1 }
        signal.publish(Position(6))
        #expect(try await thread.valueInTime() == Position(6))
    }

    @Test("A thread does not wait for a reached position, and waits no longer than its timeout")
    func aThreadDoesNotWaitForWhatIsThereNorForEver() async throws {
        let signal = HeadSignal(Position(4))
        #expect(try await blocked(on: signal, beyond: Position(3)).valueInTime() == Position(4))
        #expect(try await blocked(on: signal, beyond: Position(4), seconds: 0.02).valueInTime() == Position(4))
        #expect(try await blocked(on: signal, beyond: .max, seconds: 600).valueInTime() == Position(4))
    }

    /// Waits on a separate thread. The returned task gives the thread's result.
    private func blocked(on signal: HeadSignal, beyond position: Position, seconds: Double = 600) -> Task<Position, Never> {
        Task {
            await withCheckedContinuation { continuation in
                Thread { continuation.resume(returning: signal.wait(beyond: position, timeoutSeconds: seconds)) }.start()
            }
        }
    }

    @Test("Hundreds of waiters with timeouts and cancellations all end")
    func manyWaitersComeAndGoWithoutBeingLost() async throws {
        let generator = SeededRandom.announced("manyWaitersComeAndGo"), seed = generator.seed
        var random = generator
        let signal = HeadSignal()
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<400 {
                let position = Position(UInt64(random.int(1...100)))
                let gives = random.int(0...2)
                group.addTask {
                    let wait = Task { try await signal.reached(position, timeoutSeconds: gives == 0 ? 0.003 : 600) }
                    if gives == 1 { wait.cancel() }
                    guard let reached = try? await wait.valueInTime() else { return gives == 1 }
                    return reached ? signal.head >= position : gives == 0
                }
            }
            for head in 1...100 {
                signal.publish(Position(UInt64(head)))
                await Task.yield()
            }
            for await isRight in group { #expect(isRight, "seed \(seed)") }
        }
    }

    /// A publication between a waiter's check and its entry into the queue must not be missed.
    ///
    /// Two dedicated threads are used. Tasks of this test would wait for tasks of other tests, and such a wait would look like a missed
    /// publication.
    @Test("No publication is missed between a waiter's check and its wait")
    func nobodySleepsThroughAPublication() async {
        let (signal, answer) = (HeadSignal(), HeadSignal())
        let last: UInt64 = 20_000
        Thread {
            for _ in 1...last {
                let position = answer.head
                _ = signal.wait(beyond: position, timeoutSeconds: LogLimits.waitSecondsMax)
                answer.publish(position.next)
            }
        }.start()
        let missed = await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: Self.missedPublication(signal, answer, through: last)) }.start()
        }
        #expect(missed == nil, "a waiter stayed in the queue after its position was published")
        #expect(signal.head == Position(missed ?? last))
    }

    /// Publishes one position after the other. Each position is published as soon as the waiter has answered the previous one, that is,
    /// while the waiter enters the queue again.
    ///
    /// - Returns: the first position whose waiter was not woken; nil if there is none.
    private static func missedPublication(_ signal: HeadSignal, _ answer: HeadSignal, through last: UInt64) -> UInt64? {
        let deadline = ContinuousClock.now.advanced(by: .seconds(patienceSeconds))
        for head in 1...last {
            signal.publish(Position(head))
            while answer.head < Position(head) {
                // The order of the two checks matters: a waiter that is in the queue for the next position has already answered `head`.
                if signal.waiterCount > 0 || ContinuousClock.now > deadline, answer.head < Position(head) {
                    signal.close()
                    return head
                }
                sched_yield()
            }
        }
        return nil
    }

    @Test("A commit resumes waiting threads and tasks")
    func aCommitWakes() async throws {
        let log = try Sandbox().open()
        let thread = blocked(on: log.headSignal, beyond: .start)
        async let task = log.headSignal.reached(Position(2), timeoutSeconds: 3_600)
        try await eventually("both waiters wait") { log.headSignal.waiterCount >= 2 }
        try commit(log)
        #expect(try await task)
        #expect(try await thread.valueInTime() == Position(2))
    }

    private func commit(_ log: EventLog) throws {
        let appender = try log.appender()
        try appender.stage([event(.opened), event(.closed)])
        try appender.commit()
    }
}
