import BackgroundWork
package import Caches
import Dispatch
import EventLog
import Foundation
import Loyalty
import ReadModels
import Synchronization

/// Counts of passwords that are being hashed or wait, and that were hashed or dropped since the start.
public struct PasswordActivity: Hashable, Sendable {
    public internal(set) var running = 0
    public internal(set) var waiting = 0
    public internal(set) var computed = 0
    public internal(set) var dropped = 0
}

/// Hashes passwords on plain threads of its own, one fewer than there are cores. May be used concurrently.
///
/// A hash takes a core for tenths of a second. On the threads of Swift's pool or Dispatch, it would stop all requests. A thread begins at a
/// high niceness, and goes on at the idle priority after ``Limits/passwordsBeforeIdle`` hashes, so that an attack delays no commit; at
/// first, idle priority would take minutes on a busy machine. All hashes pause regularly (``ShortPauses``).
///
/// The queue is bounded, and addresses have turns. Hummingbird 2 does not cancel a handler when its client hangs up, so jobs are dropped
/// after ``Limits/passwordWaitSecondsMax``.
package final class PasswordHasher: Sendable {
    package typealias Counts = PasswordActivity

    private struct Job {
        let number: UInt64
        let deadline: Instant
        let run: @Sendable () -> () -> Void
        let drop: @Sendable () -> Void
    }

    private struct State {
        var waiting: SharedPool<Job>
        var counts = Counts()
        var lastNumber: UInt64 = 0
    }

    let cost: PasswordCost
    private let clock: any Clock
    private let runningMax: Int
    private let state: Mutex<State>
    private let threads = DispatchGroup()

    package init(
        cost: PasswordCost, clock: any Clock, runningMax: Int = Limits.passwordsAtOnce(cores: ProcessInfo.processInfo.processorCount),
        waiting: PoolTerms = ServicePools.passwords.terms
    ) {
        (self.cost, self.clock) = (cost, clock)
        self.runningMax = runningMax
        state = Mutex(State(waiting: SharedPool(waiting)))
    }

    /// The counts of now and since the start.
    package var counts: Counts {
        state.withLock { state in
            var counts = state.counts
            counts.waiting = state.waiting.count
            return counts
        }
    }

    /// The text of a new `PasswordHash`.
    ///
    /// - Throws: `.overloaded`; `.failed` if memory is exhausted.
    package func hash(_ password: String, salt: [UInt8]) async throws(ServiceError) -> String {
        try await run { [cost] in try PasswordHash(password, salt: salt, cost: cost).text }
    }

    /// Whether the password is right; false without a hash. Takes equally long in all cases of the present cost.
    ///
    /// - Throws: as `hash(_:salt:)`.
    package func matches(_ password: String, _ hash: PasswordHash?) async throws(ServiceError) -> Bool {
        try await run { [cost] in
            if let hash { return try hash.matches(password) }
            _ = try PasswordHash(password, salt: Array(repeating: 0, count: PasswordHash.saltBytes), cost: cost)
            return false
        }
    }

    /// Runs `work` on a hashing thread. Throws `.overloaded` if `work` never ran, and `.failed` if it throws.
    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws(ServiceError) -> Value {
        let number = nextNumber()
        let outcome: Result<Value, ServiceError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let job = Job(
                    number: number, deadline: clock.steady().advanced(bySeconds: Limits.passwordWaitSecondsMax),
                    run: {
                        let outcome = Self.outcome(of: work)
                        return { continuation.resume(returning: outcome) }
                    },
                    drop: { continuation.resume(returning: .failure(.overloaded)) })
                if offer(job) { dropLateJobsLater() }
                // A cancellation before the job was queued found no job to remove.
                if Task.isCancelled { cancel(number) }
            }
        } onCancel: {
            cancel(number)
        }
        return try outcome.get()
    }

    private static func outcome<Value>(of work: () throws -> Value) -> Result<Value, ServiceError> {
        do { return .success(try work()) } catch {
            return .failure(.failed("a password could not be hashed: scrypt found no memory"))
        }
    }

    private func nextNumber() -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    /// Starts a thread for the job, or queues it, or drops it. Returns whether it waits.
    private func offer(_ job: Job) -> Bool {
        enum Place { case now, later, never }
        let now = clock.steady()
        let share = PoolClient.share
        let (place, late) = state.withLock { state -> (Place, [Job]) in
            if state.counts.running < runningMax {
                state.counts.running += 1
                return (.now, [])
            }
            let late = Self.takeLate(from: &state, at: now)
            if let added = state.waiting.add(job, of: share) {
                state.counts.dropped += added.displaced.count
                return (.later, late + added.displaced)
            }
            state.counts.dropped += 1
            return (.never, late)
        }
        for job in late { job.drop() }
        switch place {
        case .now: startThread(with: job)
        case .later: return true
        case .never: job.drop()
        }
        return false
    }

    /// Drops late jobs when a job that waits now is late. No other job may arrive or end until then.
    private func dropLateJobsLater() {
        Task { [self] in
            try? await Task.sleep(for: .seconds(Limits.passwordWaitSecondsMax))
            let now = clock.steady()
            for job in state.withLock({ Self.takeLate(from: &$0, at: now) }) { job.drop() }
        }
    }

    private func startThread(with first: Job) {
        let isStarted = AwaitedThread.startIfPossible("passwords", in: threads) { [self] in
            LowPriority.begin()
            var (job, count) = (Optional(first), 0)
            while let current = job {
                if count == Limits.passwordsBeforeIdle { LowPriority.beginIdle() }
                count += 1
                let tell = ShortPauses.during { current.run() }
                // The sender may at once read the counts or submit another job, so it is resumed after the next job is taken.
                job = next()
                tell()
            }
        }
        if isStarted { return }
        state.withLock { state in
            state.counts.running -= 1
            state.counts.dropped += 1
        }
        first.drop()
    }

    private func next() -> Job? {
        let now = clock.steady()
        let (job, dropped) = state.withLock { state -> (Job?, [Job]) in
            state.counts.computed += 1
            let dropped = Self.takeLate(from: &state, at: now)
            let next = state.waiting.next()
            if next == nil { state.counts.running -= 1 }
            return (next, dropped)
        }
        for job in dropped { job.drop() }
        return job
    }

    private func cancel(_ number: UInt64) {
        let job = state.withLock { state -> Job? in
            guard let job = state.waiting.removeAll(where: { $0.number == number }).first else { return nil }
            state.counts.dropped += 1
            return job
        }
        job?.drop()
    }

    private static func takeLate(from state: inout State, at now: Instant) -> [Job] {
        let late = state.waiting.removeAll { now >= $0.deadline }
        state.counts.dropped += late.count
        return late
    }
}
