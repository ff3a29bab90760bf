internal import Caches
internal import Dispatch
internal import Glibc
internal import Synchronization

/// Runs work on pictures in child processes. It has a few threads that wait for the children, and bounded queues of jobs for these threads.
///
/// A job starts within `ImageLimits.waitingMillisecondsMax` or is rejected. A waiting job is rejected when another job ends, which takes at
/// most the maximum duration of a child. So each answer comes within the sum of these two times. Only the request that started a job waits
/// for it.
///
/// New pictures, thumbnails and photos of codes have separate queues, from which jobs are run in turn, so that many jobs of one kind do not
/// keep the other kinds waiting. In each queue, clients have turns and shares; see `SharedPool`.
///
/// Each picture gets its own child process, started with posix_spawn at a cost of about 20 ms of processor time, so that no data of one
/// upload is in the process that handles the next upload. A child has a socket, `/dev/null`, no environment and no other descriptor. Before
/// it reads a byte, it limits its own memory (512 MiB and its program), processor time (3 s), files and core dumps. It is killed after
/// 3,500 ms or with the server. It has one thread, because Dispatch would open files in `/proc` after a second and crash a child that may
/// open no descriptors. The library that decodes a picture also reads its size and finds its Exif, in the same bytes. JPEG is decoded by
/// libjpeg itself, because libgd cannot limit its scans. A library's error handler ends the child, so that no jump crosses Swift frames.
/// The server receives one verdict, and with it at most one file or one text of limited size. It does not parse the file.
final class PicturePool: Sendable {
    /// The purpose of a job, which determines the queue in which it waits.
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
        /// The waiting jobs of each purpose.
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

    /// Waits until a thread of the pool is free, and runs `body` on it. `body` may block, and may start child processes.
    ///
    /// - Throws: ``ImageError/busy`` if too many jobs are waiting, if this job has waited too long, or if the pool is closed; an error of
    ///   `body`.
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

    /// Rejects all waiting and future jobs. Blocks until the running jobs have ended.
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

    /// Runs jobs one after the other on the present thread. Each child is started on the thread that waits for it.
    private func work(_ first: Job) {
        var next: Job? = first
        while let job = next {
            job.work()
            next = nextJob(after: job.purpose)
        }
        group.leave()
    }

    /// Refuses the jobs that have waited too long, and takes the next job. Its purpose differs from `purpose`, that of the previous job, if
    /// jobs of another purpose wait. Nil if no job is waiting, in which case the thread ends.
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

/// Functions that run a child process. Only the `body` of a job may call them.
extension PicturePool {
    /// Runs a child process that does one job with a file: a new picture, a stored picture of which a thumbnail is made, or a photo of a
    /// code.
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
            // The child was killed before it used up its processor time. So the machine ran out of memory, and the picture may be good.
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

/// The load that work on pictures causes, for operators.
public struct PictureActivity: Sendable {
    /// The reason why the work on a picture was rejected.
    public enum Limit: String, Sendable, CaseIterable {
        /// Too many jobs waited, or this job waited too long.
        case queue
        /// The child ran longer than the limit of wall-clock time.
        case clock
        /// The child used more processor time than any permitted picture takes.
        case processor
        /// The kernel killed the child, because the machine ran out of memory.
        case memory
        /// The picture has too many pixels or scans, or takes too much memory.
        case size
        /// The child's output was not a valid answer.
        case output
        /// The child crashed, for example because the file exploits a fault of a codec.
        case crash
    }

    /// The number of running jobs. Each job has its own thread, and at most one child at a time.
    public internal(set) var running = 0
    /// The number of waiting jobs.
    public internal(set) var waiting = 0
    /// The number of children that were started and have ended.
    public internal(set) var children: UInt64 = 0
    /// The number of jobs that were rejected because of a ``Limit``.
    public internal(set) var refused: [Limit: UInt64] = [:]
}

/// The work of a child process on one file.
public enum PictureJob: Hashable, Sendable {
    /// Converts an uploaded file into the form in which pictures are stored.
    case keep
    /// Makes a thumbnail of the given width from a stored picture.
    case thumbnail(width: Int)
    /// Reads the QR code in a photo.
    case readCode

    /// Creates the job that the options of the `picture` subcommand state.
    public init(width: Int?, readsCode: Bool) { self = readsCode ? .readCode : width.map { .thumbnail(width: $0) } ?? .keep }

    fileprivate var arguments: [String] {
        switch self {
        case .keep: []
        case .thumbnail(let width): ["--\(PictureProgram.widthOption)", String(width)]
        case .readCode: ["--\(PictureProgram.codeOption)"]
        }
    }
}

/// The program that decodes pictures as a child process, and its time limit.
public struct PictureProgram: Sendable {
    /// The subcommand of `greentea` that runs ``PictureChild``.
    public static let subcommand = "picture"
    /// The option of the `picture` subcommand that gives the width of a thumbnail.
    public static let widthOption = "width"
    /// The flag that makes the `picture` subcommand read the QR code in a photo.
    public static let codeOption = "read-code"

    let path: String
    let arguments: [String]
    let milliseconds: Int

    /// The running program itself. This path leads to it even if its file was replaced or removed since the start.
    public static let own = PictureProgram(path: "/proc/self/exe")

    /// Names an executable of `greentea` as the program that decodes pictures.
    ///
    /// - Parameters:
    ///   - path: a `greentea` executable.
    ///   - milliseconds: the wall-clock time that a child may take.
    public init(path: String, milliseconds: Int = ImageLimits.childMilliseconds) {
        self.init(path: path, arguments: [Self.subcommand], milliseconds: milliseconds)
    }

    /// Names any program as the one that decodes pictures. Tests use programs that break the rules for child processes.
    init(path: String, arguments: [String], milliseconds: Int) {
        (self.path, self.arguments, self.milliseconds) = (path, arguments, milliseconds)
    }
}
