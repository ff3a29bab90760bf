internal import Dispatch
internal import Glibc
internal import Synchronization

/// A few threads that wait for child processes, and bounded queues of jobs for these threads.
///
/// A job starts within `ImageLimits.waitingMillisecondsMax` or is rejected. The rejection happens when another job ends, which takes at
/// most a child's deadline. So an answer comes within the sum of the two, and only a picture's sender waits for it.
///
/// New pictures, thumbnails and photos of codes have separate queues and take turns, so that many jobs of one kind do not keep the other
/// kinds waiting.
///
/// Each picture gets its own child process, started with posix_spawn at a cost of about 20 ms of processor time, so that nothing of one
/// upload remains for the next. A child has a socket, no environment and no other descriptor. It limits its own memory (512 MB), processor
/// time (3 s), files and cores before it reads a byte, and is killed after 3.5 s or with the server. It has one thread, because Dispatch
/// would open files in `/proc` after a second and crash a child that may open no descriptors. Sizes and Exif are read by the library that
/// decodes, from the same bytes. JPEG is decoded by libjpeg itself, because libgd cannot limit its scans. A library's error handler ends
/// the child, so that no jump crosses Swift frames. The server gets one verdict, at most with one file or one text of bounded size, and
/// does not parse the file.
final class PicturePool: Sendable {
    /// The purpose of a job.
    enum Purpose: Int, CaseIterable {
        case upload
        case thumbnail
        case scan
    }

    private struct Job: Sendable {
        let purpose: Purpose
        let since: ContinuousClock.Instant
        let work: @Sendable () -> Void
        let refuse: @Sendable () -> Void
    }

    private struct State {
        var running = 0
        var waiting: [Job] = []
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
            (activity.running, activity.waiting) = (state.running, state.waiting.count)
            return activity
        }
    }

    /// Runs work that may block and may start children, when its turn comes.
    ///
    /// - Throws: ``ImageError/busy`` if too many jobs wait, if this one waited too long, or if the pool is closed; errors of the work.
    func run<Value: Sendable>(
        for purpose: Purpose, _ body: @escaping @Sendable () throws(ImageError) -> Value
    ) async throws(ImageError) -> Value {
        let result: Result<Value, ImageError> = await withCheckedContinuation { continuation in
            let work: @Sendable () -> Void = {
                let result: Result<Value, ImageError>
                do throws(ImageError) { result = .success(try body()) } catch { result = .failure(error) }
                continuation.resume(returning: result)
            }
            add(Job(purpose: purpose, since: .now, work: work) { continuation.resume(returning: .failure(.busy)) })
        }
        return try result.get()
    }

    /// Rejects waiting and future jobs, and waits for the running children. Blocks.
    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for job in waiting { job.refuse() }
        group.wait()
    }

    private func add(_ job: Job) {
        enum Place { case now, later, never }
        let place = state.withLock { state -> Place in
            if state.isClosed { return .never }
            if state.running < runningMax {
                state.running += 1
                group.enter()
                return .now
            }
            guard state.waiting.count(where: { $0.purpose == job.purpose }) < ImageLimits.waitingMax else {
                state.activity.refused[.queue, default: 0] += 1
                return .never
            }
            state.waiting.append(job)
            return .later
        }
        switch place {
        case .now: threads.async { self.work(job) }
        case .later: break
        case .never: job.refuse()
        }
    }

    /// Does one job after the other. Each child is started on the thread that waits for it.
    private func work(_ first: Job) {
        var next: Job? = first
        while let job = next {
            job.work()
            next = nextJob(after: job.purpose)
        }
        group.leave()
    }

    /// Refuses the jobs that have waited too long, and returns the next of the others: the oldest with another purpose than the previous
    /// job's, or else the oldest. Nil if no job waits; the thread then ends.
    private func nextJob(after purpose: Purpose) -> Job? {
        let (late, next) = state.withLock { state in
            let start = ContinuousClock.now - .milliseconds(ImageLimits.waitingMillisecondsMax)
            let late = state.waiting.prefix { $0.since < start }
            state.waiting.removeFirst(late.count)
            if !late.isEmpty { state.activity.refused[.queue, default: 0] += UInt64(late.count) }
            let place = state.waiting.firstIndex { $0.purpose != purpose } ?? state.waiting.indices.first
            let next = place.map { state.waiting.remove(at: $0) }
            if next == nil { state.running -= 1 }
            return (late, next)
        }
        for job in late { job.refuse() }
        return next
    }
}

/// Runs child processes. Only the work of a job may call this.
extension PicturePool {
    /// Does one job with a file: a new picture, a stored picture of which a thumbnail is made, or a photo of a code.
    func child(_ file: [UInt8], _ job: PictureJob = .keep) throws(ImageError) -> PictureAnswer {
        let (output, ending) = try ChildProcess.run(
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
            // The child had processor time left, so the machine ran out of memory, which says nothing about the picture.
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

/// The load that pictures cause, for operators.
public struct PictureActivity: Sendable {
    /// The reason why the work on a picture was rejected.
    public enum Limit: String, Sendable, CaseIterable {
        /// Too many jobs waited, or one waited too long.
        case queue
        /// The child ran longer than the limit of wall-clock time.
        case clock
        /// The child used up its processor time.
        case processor
        /// The kernel killed the child, because the machine ran out of memory.
        case memory
        /// The picture has too many pixels or scans, or takes too much memory.
        case size
        /// The child's output was not a valid answer.
        case output
        /// The child crashed, for example by a fault of a codec that the file exploits.
        case crash
    }

    /// The number of running jobs. Each has a thread of its own, and at most one child.
    public internal(set) var running = 0
    /// The number of waiting jobs.
    public internal(set) var waiting = 0
    /// The number of children started.
    public internal(set) var children: UInt64 = 0
    /// The number of rejected jobs, by reason.
    public internal(set) var refused: [Limit: UInt64] = [:]
}

/// The work of a child process on one file.
public enum PictureJob: Hashable, Sendable {
    /// Makes a new file into a stored picture.
    case keep
    /// Makes a thumbnail of this width from a stored picture.
    case thumbnail(width: Int)
    /// Reads the QR code in a photo.
    case readCode

    /// Reads a job from the options of the subcommand.
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
    /// The subcommand's option for the width of a thumbnail.
    public static let widthOption = "width"
    /// The subcommand's flag for reading a code.
    public static let codeOption = "read-code"

    let path: String
    let arguments: [String]
    let milliseconds: Int

    /// The path of this program itself, which works even if its file was replaced or removed since the start.
    public static let own = PictureProgram(path: "/proc/self/exe")

    /// Names a program.
    ///
    /// - Parameters:
    ///   - path: a `greentea` executable.
    ///   - milliseconds: the wall-clock time that a child may take.
    public init(path: String, milliseconds: Int = ImageLimits.childMilliseconds) {
        self.init(path: path, arguments: [Self.subcommand], milliseconds: milliseconds)
    }

    /// Names any program; tests use one that misbehaves.
    init(path: String, arguments: [String], milliseconds: Int) {
        (self.path, self.arguments, self.milliseconds) = (path, arguments, milliseconds)
    }
}
