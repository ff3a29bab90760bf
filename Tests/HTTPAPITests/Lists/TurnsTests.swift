import Dispatch
import Synchronization
import Testing

@testable import HTTPAPI

@Suite("Turns of other requests")
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

    /// The number of jobs of a task that maps `count` elements and lets other tasks run after every `turn` elements.
    private static func jobs(_ count: Int, of turn: Int) async -> Int {
        let executor = CountingExecutor()
        let values = await Task(executorPreference: executor) { await Array(0..<count).mapInTurns(of: turn) { $0 * 2 } }.value
        #expect(values == (0..<count).map { $0 * 2 })
        return executor.jobs
    }

    @Test("A long list lets other tasks run after every few elements, and a short one never does")
    func turns() async {
        let short = await Self.jobs(8, of: 8)
        for count in [0, 1, 7] { #expect(await Self.jobs(count, of: 8) == short) }
        #expect(await Self.jobs(9, of: 8) > short)
        #expect(await Self.jobs(100, of: 8) >= short + 12)
        #expect(await Self.jobs(100, of: 1) >= short + 99)
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
