import Histogram
import Synchronization

/// The latency of each answer, by route. Any lane may record.
final class Measurements: Sendable {
    private struct State {
        var mix = Measurements.empty
        var mixStatuses: [Int: Int] = [:]
        var routes: [String: Histogram<UInt64>] = [:]
        var statuses: [String: [Int: Int]] = [:]
        var answers = 0
        var refusals = 0
        var lastAnswer: ContinuousClock.Instant?
    }

    private let state = Mutex(State())
    private let newest = Atomic<UInt64>(0)
    /// The number of callers that wait for an unreachable server.
    private let waiting = Atomic(0)

    /// Records the log position that an answer states.
    func see(_ position: UInt64) { newest.max(position, ordering: .relaxed) }

    /// The highest log position that any answer has stated so far.
    var newestPosition: UInt64 { newest.load(ordering: .relaxed) }

    func record(_ route: String, status: Int, _ time: Duration) {
        let (seconds, attoseconds) = time.components
        let microseconds = UInt64(max(0, seconds * 1_000_000 + attoseconds / 1_000_000_000_000))
        state.withLock { state in
            let time = min(microseconds, Limits.latencyMicrosecondsMax)
            _ = state.mix.record(time)
            _ = state.routes[route, default: Self.empty].record(time)
            state.mixStatuses[status, default: 0] += 1
            state.statuses[route, default: [:]][status, default: 0] += 1
            state.answers += 1
            state.lastAnswer = .now
        }
    }

    /// Records that a request will be retried, after an answer of 503 or after its connection failed.
    func recordRefusal() {
        state.withLock { $0.refusals += 1 }
    }

    /// Counts a caller that waits for an unreachable server until ``endWait()``.
    func beginWait() { waiting.add(1, ordering: .relaxed) }

    func endWait() { waiting.subtract(1, ordering: .relaxed) }

    /// Whether any caller waits for an unreachable server.
    var isServerAway: Bool { waiting.load(ordering: .relaxed) > 0 }

    /// The seconds from `begin` to the latest answer; 0 if there is none.
    func secondsAnswered(since begin: ContinuousClock.Instant) -> Double {
        state.withLock { $0.lastAnswer.map { max(0, ($0 - begin) / .seconds(1)) } ?? 0 }
    }

    /// The number of answers so far.
    var answers: Int { state.withLock { $0.answers } }

    /// Discards all figures, so that the figures of the preparation do not count.
    func restart() {
        state.withLock { $0 = State() }
    }

    /// The latencies recorded so far.
    var figures: LoadFigures {
        state.withLock { state in
            let all = state.routes.keys.sorted().map { name in
                LoadFigures.Route(name: name, times: state.routes[name]!, statuses: state.statuses[name] ?? [:])
            }
            let mix = LoadFigures.Route(name: "the mix", times: state.mix, statuses: state.mixStatuses)
            return LoadFigures(mix: mix, routes: all, answers: state.answers, refusals: state.refusals)
        }
    }

    private static var empty: Histogram<UInt64> {
        Histogram(highestTrackableValue: Limits.latencyMicrosecondsMax, numberOfSignificantValueDigits: .three)
    }
}

/// Latencies by route.
struct LoadFigures: Sendable {
    /// The latencies of one route, or of all routes, in microseconds.
    struct Route: Sendable, Codable {
        let name: String
        let answers: UInt64
        let p50: UInt64
        let p99: UInt64
        let p999: UInt64
        let slowest: UInt64
        /// The number of answers by status.
        let statuses: [String: Int]

        init(name: String, times: Histogram<UInt64>, statuses: [Int: Int]) {
            self.name = name
            answers = times.totalCount
            (p50, p99, p999) = (times.valueAtPercentile(50), times.valueAtPercentile(99), times.valueAtPercentile(99.9))
            slowest = times.max
            self.statuses = Dictionary(uniqueKeysWithValues: statuses.map { ("\($0)", $1) })
        }
    }

    /// The figures of all routes together.
    let mix: Route
    let routes: [Route]
    let answers: Int
    let refusals: Int
}
