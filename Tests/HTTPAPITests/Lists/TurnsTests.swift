import Dispatch
import Synchronization
import Testing

@testable import HTTPAPI

@Suite("Turns of other requests", .timeLimit(.minutes(15)))
struct TurnsTests {
    /// Counts the jobs of one task. The task has one job at its start, and at least one more each time it lets other tasks run.
    private final class CountingExecutor: TaskExecutor {
        private let count = Atomic(0)
        private let threads = DispatchQueue(label: "counted")

        var jobs: Int { count.load(ordering: .sequentiallyConsistent) }

        func enqueue(_ job: consuming ExecutorJob) {
            count.add(1, ordering: .sequentiallyConsistent)
            let job = UnownedJob(job)
            threads.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    private struct Broken: Error {}

    /// The number of jobs of a task that maps elements, of which each takes the given time, in turns of a given duration.
    private static func jobs(_ elements: [Duration], of turn: Duration) async -> Int {
        let executor = CountingExecutor()
        let values = await Task(executorPreference: executor) {
            let begin = ContinuousClock.now
            var passed = Duration.zero
            return await elements.mapInTurns(of: turn, now: { begin + passed }) { element in
                passed += element
                return element
            }
        }.value
        #expect(values == elements)
        return executor.jobs
    }

    private static func equal(_ count: Int, _ duration: Duration) -> [Duration] { Array(repeating: duration, count: count) }

    @Test("A list lets other tasks run after each turn, and a quick list never does")
    func turns() async {
        let quick = await Self.jobs(Self.equal(100, .zero), of: .milliseconds(2))
        for count in [0, 1, 2] { #expect(await Self.jobs(Self.equal(count, .milliseconds(1)), of: .milliseconds(2)) == quick) }
        // One element is never interrupted, however slow it is, and nothing waits after the last one.
        #expect(await Self.jobs([.seconds(1)], of: .milliseconds(2)) == quick)
        // The runtime divides one wait for other tasks into one or more jobs.
        let wait = await Self.jobs(Self.equal(3, .milliseconds(1)), of: .milliseconds(2)) - quick
        #expect(wait > 0)
        #expect(await Self.jobs(Self.equal(100, .milliseconds(1)), of: .milliseconds(2)) == quick + 49 * wait)
        #expect(await Self.jobs(Self.equal(100, .milliseconds(3)), of: .milliseconds(2)) == quick + 99 * wait)
    }

    @Test("An error ends the list at once")
    func failure() async {
        var seen = 0
        await #expect(throws: Broken.self) {
            _ = try await Array(0..<100).mapInTurns { number in
                seen = number
                if number == 20 { throw Broken() }
            }
        }
        #expect(seen == 20)
    }
}
