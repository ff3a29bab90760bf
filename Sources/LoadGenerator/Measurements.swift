import Histogram
import Synchronization

/// The latency of each answer, by route. Any lane may record.
final class Measurements: Sendable {
    private struct State {
        var allRoutes = Measurements.empty
        var allStatuses: [Int: Int] = [:]
        var routes: [String: Histogram<UInt64>] = [:]
        var statuses: [String: [Int: Int]] = [:]
        var answers = 0
        var retries = 0
        var lastAnswer: ContinuousClock.Instant?
    }

    private let state = Mutex(State())
    private let newest = Atomic<UInt64>(0)
    private let waiting = Atomic(0)

    func see(_ position: UInt64) { newest.max(position, ordering: .relaxed) }

    /// The highest position in any answer.
    var newestPosition: UInt64 { newest.load(ordering: .relaxed) }

    func record(_ route: String, status: Int, _ time: Duration) {
        let (seconds, attoseconds) = time.components
        let microseconds = UInt64(max(0, seconds * 1_000_000 + attoseconds / 1_000_000_000_000))
        state.withLock { state in
            let time = min(microseconds, Limits.latencyMicrosecondsMax)
            _ = state.allRoutes.record(time)
            _ = state.routes[route, default: Self.empty].record(time)
            state.allStatuses[status, default: 0] += 1
            state.statuses[route, default: [:]][status, default: 0] += 1
            state.answers += 1
            state.lastAnswer = .now
        }
    }

    /// After 503 or a failed connection.
    func recordRetry() { state.withLock { $0.retries += 1 } }

    /// Until ``endWait()``.
    func beginWait() { waiting.add(1, ordering: .relaxed) }

    func endWait() { waiting.subtract(1, ordering: .relaxed) }

    var isServerAway: Bool { waiting.load(ordering: .relaxed) > 0 }

    /// Until the latest answer; 0 if there is none.
    func secondsAnswered(since begin: ContinuousClock.Instant) -> Double {
        state.withLock { $0.lastAnswer.map { max(0, ($0 - begin) / .seconds(1)) } ?? 0 }
    }

    var answers: Int { state.withLock { $0.answers } }

    /// Keeps the preparation out of the figures.
    func restart() { state.withLock { $0 = State() } }

    var figures: LoadFigures {
        state.withLock { state in
            let routes = state.routes.sorted { $0.key < $1.key }.map { name, times in
                LoadFigures.Route(name: name, times: times, statuses: state.statuses[name] ?? [:])
            }
            let all = LoadFigures.Route(name: "the mix", times: state.allRoutes, statuses: state.allStatuses)
            return LoadFigures(allRoutes: all, routes: routes, answers: state.answers, retries: state.retries)
        }
    }

    private static var empty: Histogram<UInt64> {
        Histogram(highestTrackableValue: Limits.latencyMicrosecondsMax, numberOfSignificantValueDigits: .three)
    }
}

/// Latencies by route.
struct LoadFigures: Sendable {
    /// In microseconds.
    struct Route: Sendable, Encodable {
        let name: String
        let answers: UInt64
        let p50: UInt64
        let p99: UInt64
        let p999: UInt64
        let slowest: UInt64
        let statuses: [String: Int]

        init(name: String, times: Histogram<UInt64>, statuses: [Int: Int]) {
            self.name = name
            answers = times.totalCount
            (p50, p99, p999) = (times.valueAtPercentile(50), times.valueAtPercentile(99), times.valueAtPercentile(99.9))
            slowest = times.max
            self.statuses = Dictionary(uniqueKeysWithValues: statuses.map { ("\($0)", $1) })
        }
    }

    let allRoutes: Route
    let routes: [Route]
    let answers: Int
    let retries: Int
}
