internal import Dispatch
internal import Glibc
internal import Synchronization

/// The few threads that wait for child processes, and the bounded queue in front of them.
///
/// A job starts within `ImageLimits.waitingMillisecondsMax` or is refused, which is noticed when another job ends: a child's deadline
/// later at most. So an answer comes within the sum of the two, and nobody waits for a picture but its sender.
///
/// New pictures and thumbnails have places to wait in of their own, and take turns: strangers who look at pictures keep nobody from
/// sending one, and the other way round.
///
/// Each picture has a child process of its own, started with posix_spawn at about 20 ms of processor time, so that nothing of one upload
/// remains for the next. A child has a socket, no environment and no other descriptor. It limits its own memory (512 MB), processor time (3
/// s), files and cores before it reads a byte, and is killed after 3.5 s or with the server. It has one thread, because Dispatch would open
/// files of `/proc` after a second and end a child that has no descriptors left. Sizes and Exif come from the library that decodes, on the
/// same bytes; JPEG is decoded by libjpeg itself, since libgd cannot bound its scans. The error handler of a library ends the child, so
/// that no jump crosses Swift frames. The server gets one verdict or one file of bounded size and does not parse it.
final class PicturePool: Sendable {
    /// The purpose of a job.
    enum Purpose: Int, CaseIterable {
        case upload
        case thumbnail
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

    /// Runs work that may block, and may ask children, when its turn comes.
    ///
    /// - Throws: ``ImageError/busy`` where too many wait, or it waited too long; what the work throws.
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

    /// Refuses what waits and everything from now on, and waits for the children that run. Blocks.
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

    /// Does one job after the other, each on the same thread as the child that it starts.
    private func work(_ first: Job) {
        var next: Job? = first
        while let job = next {
            job.work()
            next = nextJob(after: job.purpose)
        }
        group.leave()
    }

    /// The oldest job of the other purpose, where there is one; a thread that has none left ends.
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

/// Asking a child; from the work of a job only.
extension PicturePool {
    /// The picture of a file as it is kept, or a thumbnail of one that is.
    ///
    /// - Throws: ``ImageError``.
    func child(_ file: [UInt8], width: Int? = nil) throws(ImageError) -> PictureAnswer {
        let (output, ending) = try ChildProcess.run(
            program.path, program.arguments + (width.map { ["--\(PictureProgram.widthOption)", String($0)] } ?? []),
            milliseconds: program.milliseconds, sending: file, bytesMax: PictureAnswer.bytesMax)
        state.withLock { $0.activity.children += 1 }
        guard case .exited(0) = ending, let answer = PictureAnswer(output) else { throw refusal(of: ending) }
        switch answer.verdict {
        case .made, .isNoWider: return answer
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
            // Its processor seconds were not used up: the machine's memory was, which says nothing about the picture.
            case .signalled(SIGKILL): (.memory, .busy)
            case .signalled: (.crash, .unsupported)
            case .exited(0): (.output, .unsupported)
            case .exited(let code): (nil, .failed("a child process for a picture exited with \(code)"))
            }
        if let limit { state.withLock { $0.activity.refused[limit, default: 0] += 1 } }
        return error
    }
}

/// How much work pictures make, for operators.
public struct PictureActivity: Sendable {
    /// A limit that keeps pictures from being made.
    public enum Limit: String, Sendable, CaseIterable {
        /// Too many waited, or one waited too long.
        case queue
        /// The child took longer than it may by the clock.
        case clock
        /// The child used up its processor seconds.
        case processor
        /// The kernel killed the child, since the machine had no memory left.
        case memory
        /// Pixels, scans, or more memory than one picture may take.
        case size
        /// The child wrote what is no answer.
        case output
        /// The child crashed, as by a fault of a codec that the file was made for.
        case crash
    }

    /// Jobs with a thread of their own, each with at most one child.
    public internal(set) var running = 0
    /// Jobs that wait for one.
    public internal(set) var waiting = 0
    /// Children that were started.
    public internal(set) var children: UInt64 = 0
    /// Pictures that were refused, by limit.
    public internal(set) var refused: [Limit: UInt64] = [:]
}

/// The program that decodes pictures as a child process, and how long it may take.
public struct PictureProgram: Sendable {
    /// The subcommand of `greentea` that runs ``PictureChild``.
    public static let subcommand = "picture"
    /// Its option for a thumbnail.
    public static let widthOption = "width"

    let path: String
    let arguments: [String]
    let milliseconds: Int

    /// This very program, even where its file was replaced or removed since it started.
    public static let own = PictureProgram(path: "/proc/self/exe")

    /// - Parameters:
    ///   - path: a `greentea`.
    ///   - milliseconds: how long a child may take by the clock.
    public init(path: String, milliseconds: Int = ImageLimits.childMilliseconds) {
        self.init(path: path, arguments: [Self.subcommand], milliseconds: milliseconds)
    }

    /// Any program; tests have one that misbehaves.
    init(path: String, arguments: [String], milliseconds: Int) {
        (self.path, self.arguments, self.milliseconds) = (path, arguments, milliseconds)
    }
}
