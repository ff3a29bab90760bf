import Dispatch
import Patience
import Testing

@testable import EventLog

@Suite(.timeLimit(.minutes(15))) struct AwaitedThreadTests {
    private final class Held: Sendable {}

    /// A thread that signals its end from inside its closure fails this test in some of the rounds: it still holds the object then.
    @Test("An ended thread keeps no object alive")
    func keepsNothingAliveAfterItsEnd() throws {
        var held = 0
        for _ in 0..<2_000 {
            let group = DispatchGroup()
            weak let object = start(in: group)
            try group.waitInTime("the threads have ended")
            if object != nil { held += 1 }
        }
        #expect(held == 0)
    }

    @Test("A thread is awaited until its work is done")
    func isAwaitedUntilItsWorkIsDone() throws {
        let group = DispatchGroup()
        let calls = Shared(0)
        for _ in 0..<20 { AwaitedThread.start("counting", in: group) { calls.update { $0 += 1 } } }
        try group.waitInTime("the threads have ended")
        #expect(calls.value == 20)
    }

    /// A stack of this size fits into no memory, so the system refuses the thread.
    private static let tooLarge = 1 << 60

    @Test("A process that cannot start a necessary thread ends with exit code 3")
    func aProcessThatGetsNoThreadForItsWorkEnds() async {
        await #expect(processExitsWith: .exitCode(3)) {
            AwaitedThread.start("too large", in: DispatchGroup(), stackBytes: Self.tooLarge) {}
        }
    }

    @Test("Optional work that gets no thread is not awaited")
    func workThatCanBeRefusedIsNotAwaitedIfItGetsNoThread() throws {
        let group = DispatchGroup()
        let calls = Shared(0)
        let isTooLargeStarted = AwaitedThread.startIfPossible("too large", in: group, stackBytes: Self.tooLarge) {
            calls.update { $0 += 1 }
        }
        let isStarted = AwaitedThread.startIfPossible("small", in: group) { calls.update { $0 += 1 } }
        try group.waitInTime("the threads have ended")
        #expect(!isTooLargeStarted && isStarted)
        #expect(calls.value == 1)
    }

    /// Starts a thread to which alone an object belongs.
    ///
    /// - Returns: the object, which the caller MUST refer to weakly.
    private func start(in group: DispatchGroup) -> Held {
        let object = Held()
        AwaitedThread.start("holding", in: group) { withExtendedLifetime(object) {} }
        return object
    }
}
