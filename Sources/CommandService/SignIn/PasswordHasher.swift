import BackgroundWork
package import Caches
import Dispatch
import EventLog
import Foundation
import Loyalty
import ReadModels
import Synchronization

/// The numbers of passwords that are being hashed or wait now, and that were hashed or dropped since the start.
public struct PasswordActivity: Hashable, Sendable {
    public internal(set) var running = 0
    public internal(set) var waiting = 0
    /// The number of jobs that were completed since the start.
    public internal(set) var computed = 0
    /// The number of jobs that were refused, cancelled, or dropped because they waited too long, since the start.
    public internal(set) var dropped = 0
}

/// Hashes passwords on plain threads of its own.
///
/// One scrypt hash takes 16 MiB and a core for some tenths of a second. Swift's cooperative pool and Dispatch have as many threads as
/// there are cores, so hashes on their threads would stop every request, `/healthz` included: fifty abandoned sign-ins once stopped the
/// service for 22 s. There is one hashing thread fewer than there are cores (but at least one), so a core is left to requests and the
/// writer. The hashing threads have a low priority, so that requests are served first: stamps are more important than sign-ins by password.
/// If requests leave too little time, hashes take longer, and those that wait longer than ``Limits/passwordWaitSecondsMax`` are refused.
///
/// A thread begins at a high niceness (``LowPriority/begin()``). When the writer's thread wakes up, which happens several times a commit,
/// such a thread may first finish its time slice of some milliseconds. So a thread that goes on after ``Limits/passwordsBeforeIdle``
/// hashes takes the idle priority (``LowPriority/beginIdle()``): many sign-ins at once, such as an attack, delay no commit. The first
/// hashes do not have the idle priority, because they would take minutes while requests use all processors. All hashes pause regularly
/// (``ShortPauses``), so that the processors are shared well among the requests.
///
/// A thread lives while there is work, so an idle service has none. The queue is short: at most ``Limits/passwordsWaitingMax`` hashes wait,
/// half of them for one address, and others are refused at once. Addresses have turns. A job whose task is cancelled leaves the queue at
/// once. Hummingbird 2 does not cancel a handler when its client hangs up, because it allows half-closed connections and runs the handler
/// in the connection's own task. So an abandoned job in the queue is dropped after ``Limits/passwordWaitSecondsMax``. May be used
/// concurrently.
///
/// The HTTP API counts each hash, of a right or a wrong password, against the budgets of the client's address and of the service.
package final class PasswordHasher: Sendable {
    /// The numbers of passwords that are being hashed or wait now, and of those hashed or dropped since the start.
    package typealias Counts = PasswordActivity

    private struct Job {
        let number: UInt64
        /// The moment, on the steady clock, after which the result is useless.
        let deadline: Instant
        /// Does the work and returns a closure that resumes the waiting sender with the result.
        let run: @Sendable () -> () -> Void
        let drop: @Sendable () -> Void
    }

    private struct State {
        var waiting: SharedPool<Job>
        var counts = Counts()
        var lastNumber: UInt64 = 0
    }

    /// The cost of a new password.
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

    /// The numbers of passwords that are being hashed or wait now, and of those hashed or dropped since the start.
    package var counts: Counts {
        state.withLock { state in
            var counts = state.counts
            counts.waiting = state.waiting.count
            return counts
        }
    }

    /// The hash of a new password, as the text of a `PasswordHash`.
    ///
    /// - Throws: `.overloaded`; `.failed` if memory is exhausted.
    package func hash(_ password: String, salt: [UInt8]) async throws(ServiceError) -> String {
        try await run { [cost] in try PasswordHash(password, salt: salt, cost: cost).text }
    }

    /// Whether the password is the one that was hashed; false if there is no hash. The answer takes equally long in all cases, if the
    /// stored hash has the present cost.
    ///
    /// - Throws: as `hash(_:salt:)`.
    package func matches(_ password: String, _ hash: PasswordHash?) async throws(ServiceError) -> Bool {
        try await run { [cost] in
            if let hash { return try hash.matches(password) }
            _ = try PasswordHash(password, salt: Array(repeating: 0, count: PasswordHash.saltBytes), cost: cost)
            return false
        }
    }

    /// Runs `work` on one of the threads that hash passwords.
    ///
    /// - Throws: `.overloaded` if the queue is full, or if the task was cancelled or the job waited too long before the work began. The
    ///   work never ran then. `.failed` if the work throws.
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
                // If the task was cancelled before the job was in the queue, the cancellation handler found no job to remove, so the job is
                // removed here.
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

    /// Starts a thread for the job if one more hashing thread is allowed. Otherwise the job waits, or is dropped if too many are waiting
    /// already. The job is also dropped if the system refuses the thread.
    ///
    /// - Returns: whether the job waits.
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

    /// Drops late jobs when a job that waits from now on is late. Other jobs may neither arrive nor end until then: while requests use all
    /// processors, a hash of the idle priority may take minutes.
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
                // The next job is taken before the sender is resumed, because the sender may at once read the counts or submit another job.
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

    /// The next job of a thread that has finished one; nil ends the thread.
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
