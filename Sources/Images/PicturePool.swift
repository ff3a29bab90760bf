internal import Caches
internal import Dispatch
internal import Glibc
internal import Synchronization

/// Runs work on pictures in child processes, with a few threads that wait for them and bounded queues of jobs.
///
/// A job starts within `ImageLimits.waitingMillisecondsMax` or is rejected. Purposes take turns, and within each so do clients; see
/// `SharedPool`.
///
/// Each picture gets its own process, so that no upload's data is in the process of another. The child has one thread: Dispatch would open
/// files in `/proc` after a second, and crash because no descriptors are permitted.
final class PicturePool: Sendable {
    enum Purpose: Int, CaseIterable {
        case upload
        case thumbnail
        case scan
    }

    private struct Job: Sendable {
        let purpose: Purpose
        let share: PoolShare
        let since: ContinuousClock.Instant
        let work: @Sendable () -> Void
        let refuse: @Sendable () -> Void
    }

    private struct State {
        var running = 0
        var waiting = Purpose.allCases.map { _ in SharedPool<Job>(ImagePools.jobs.terms) }
        var isClosed = false
        var activity = PictureActivity()
    }

    private let program: PictureProgram
    private let runningMax: Int
    private let state = Mutex(State())
    private let threads = DispatchQueue(label: "pictures", attributes: .concurrent)
    private let group = DispatchGroup()

    init(_ program: PictureProgram, processors: Int) {
        (self.program, runningMax) = (program, ImageLimits.childrenMax(processors: processors))
    }

    var activity: PictureActivity {
        state.withLock { state in
            var activity = state.activity
            (activity.running, activity.waiting) = (state.running, state.waiting.reduce(0) { $0 + $1.count })
            return activity
        }
    }

    /// Runs `body`, which may block, on a thread of the pool.
    ///
    /// - Throws: ``ImageError/busy`` if the job is rejected; an error of `body`.
    func run<Value: Sendable>(
        for purpose: Purpose, _ body: @escaping @Sendable () throws(ImageError) -> Value
    ) async throws(ImageError) -> Value {
        let result: Result<Value, ImageError> = await withCheckedContinuation { continuation in
            let work: @Sendable () -> Void = {
                let result: Result<Value, ImageError>
                do throws(ImageError) { result = .success(try body()) } catch { result = .failure(error) }
                continuation.resume(returning: result)
            }
            add(Job(purpose: purpose, share: PoolClient.share, since: .now, work: work) { continuation.resume(returning: .failure(.busy)) })
        }
        return try result.get()
    }

    /// Rejects all waiting and future jobs, and blocks until the running jobs have ended.
    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            return state.waiting.indices.flatMap { state.waiting[$0].removeAll { _ in true } }
        }
        for job in waiting { job.refuse() }
        group.wait()
    }

    private func add(_ job: Job) {
        enum Place { case now, later, never }
        let (place, displaced) = state.withLock { state -> (Place, [Job]) in
            if state.isClosed { return (.never, []) }
            if state.running < runningMax {
                state.running += 1
                group.enter()
                return (.now, [])
            }
            let added = state.waiting[job.purpose.rawValue].add(job, of: job.share)
            state.activity.refused[.queue, default: 0] += UInt64(added?.displaced.count ?? 1)
            return (added == nil ? .never : .later, added?.displaced ?? [])
        }
        for job in displaced { job.refuse() }
        switch place {
        case .now: threads.async { self.work(job) }
        case .later: break
        case .never: job.refuse()
        }
    }

    /// Each child is started on the thread that waits for it.
    private func work(_ first: Job) {
        var next: Job? = first
        while let job = next {
            job.work()
            next = nextJob(after: job.purpose)
        }
        group.leave()
    }

    /// Refuses overdue jobs, and prefers a job of another purpose. Nil ends the thread.
    private func nextJob(after purpose: Purpose) -> Job? {
        let (late, next) = state.withLock { state in
            let start = ContinuousClock.now - .milliseconds(ImageLimits.waitingMillisecondsMax)
            let late = state.waiting.indices.flatMap { state.waiting[$0].removeAll { $0.since < start } }
            if !late.isEmpty { state.activity.refused[.queue, default: 0] += UInt64(late.count) }
            let count = Purpose.allCases.count
            let place = (1...count).map { (purpose.rawValue + $0) % count }.first { state.waiting[$0].count > 0 }
            let next = place.flatMap { state.waiting[$0].next() }
            if next == nil { state.running -= 1 }
            return (late, next)
        }
        for job in late { job.refuse() }
        return next
    }
}

/// Only the `body` of a job may call these functions.
extension PicturePool {
    func child(_ file: [UInt8], _ job: PictureJob = .keep) throws(ImageError) -> PictureAnswer {
        let (output, ending, _) = try ChildProcess.run(
            program.path, program.arguments + job.arguments,
            milliseconds: program.milliseconds, sending: file, bytesMax: PictureAnswer.bytesMax)
        state.withLock { $0.activity.children += 1 }
        guard case .exited(0) = ending, let answer = PictureAnswer(output) else { throw refusal(of: ending) }
        switch answer.verdict {
        case .made, .isNoWider, .read, .hasNoCode: return answer
        case .unsupported: throw .unsupported
        case .tooLarge:
            state.withLock { $0.activity.refused[.size, default: 0] += 1 }
            throw .tooLarge
        }
    }

    private func refusal(of ending: ChildProcess.Ending) -> ImageError {
        let (limit, error): (PictureActivity.Limit?, ImageError) =
            switch ending {
            case .late: (.clock, .busy)
            case .flooding: (.output, .unsupported)
            case .exhausted: (.processor, .tooLarge)
            // Killed by the kernel for lack of memory; the picture may be good.
            case .signalled(SIGKILL): (.memory, .busy)
            case .signalled: (.crash, .unsupported)
            case .exited(0): (.output, .unsupported)
            case .exited(PictureChild.missingLibraryStatus): (nil, .failed("libzbar is not installed: apt-get install libzbar0"))
            case .exited(let code): (nil, .failed("a child process for a picture exited with \(code)"))
            }
        if let limit { state.withLock { $0.activity.refused[limit, default: 0] += 1 } }
        return error
    }
}

/// The load that work on pictures causes.
public struct PictureActivity: Sendable {
    /// The reason why a job was rejected.
    public enum Limit: String, Sendable, CaseIterable {
        case queue
        case clock
        case processor
        case memory
        case size
        case output
        /// Perhaps the file exploits a fault of a codec.
        case crash
    }

    public internal(set) var running = 0
    public internal(set) var waiting = 0
    public internal(set) var children: UInt64 = 0
    public internal(set) var refused: [Limit: UInt64] = [:]
}

/// The work of a child process on one file.
public enum PictureJob: Hashable, Sendable {
    case keep
    case thumbnail(width: Int)
    case readCode

    public init(width: Int?, readsCode: Bool) { self = readsCode ? .readCode : width.map { .thumbnail(width: $0) } ?? .keep }

    fileprivate var arguments: [String] {
        switch self {
        case .keep: []
        case .thumbnail(let width): ["--\(PictureProgram.widthOption)", String(width)]
        case .readCode: ["--\(PictureProgram.codeOption)"]
        }
    }
}

/// The program that decodes pictures, and its time limit.
public struct PictureProgram: Sendable {
    /// The subcommand of `greentea` that runs ``PictureChild``, and its options.
    public static let subcommand = "picture"
    public static let widthOption = "width"
    public static let codeOption = "read-code"

    let path: String
    let arguments: [String]
    let milliseconds: Int

    /// Valid even if the program's file was replaced or removed since the start.
    public static let own = PictureProgram(path: "/proc/self/exe")

    public init(path: String, milliseconds: Int = ImageLimits.childMilliseconds) {
        self.init(path: path, arguments: [Self.subcommand], milliseconds: milliseconds)
    }

    /// For tests.
    init(path: String, arguments: [String], milliseconds: Int) {
        (self.path, self.arguments, self.milliseconds) = (path, arguments, milliseconds)
    }
}
