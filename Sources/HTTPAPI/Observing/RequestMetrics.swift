import CoreMetrics
import HTTPTypes
import Prometheus
import Synchronization

/// Counts requests by route and status, and refusals by their code. Any task may count.
final class RequestMetrics: Sendable {
    private struct Kind: Hashable {
        let method: String
        let route: String
        let status: Int
    }

    /// Other methods are anybody's to invent, and are counted together.
    private static let methods: Set<HTTPRequest.Method> = [.get, .head, .post, .put, .patch, .delete, .options]

    private let registry: PrometheusRegistry
    /// Kept, since making one costs more than a request may.
    private let timers = Mutex<[Kind: CoreMetrics.Timer]>([:])
    private let problems: [ProblemCode: Counter]

    init(_ registry: PrometheusRegistry) {
        self.registry = registry
        problems = Dictionary(
            uniqueKeysWithValues: ProblemCode.allCases.map { code in
                (code, Counter(label: "greentea_problems_total", dimensions: [("code", code.rawValue)], factory: registry))
            })
    }

    /// - Parameter route: the template, never the path: `/v1/cards/{id}`.
    func count(_ method: HTTPRequest.Method, _ route: String, _ status: Int, took duration: Duration) {
        let kind = Kind(method: Self.methods.contains(method) ? method.rawValue : "other", route: route, status: status)
        let timer = timers.withLock { $0[kind] } ?? make(kind)
        timer.recordNanoseconds(duration.nanoseconds)
    }

    /// Counts a refusal.
    func count(_ problem: ProblemCode) { problems[problem]?.increment() }

    private func make(_ kind: Kind) -> CoreMetrics.Timer {
        let labels = [("method", kind.method), ("route", kind.route), ("status", "\(kind.status)")]
        let timer = CoreMetrics.Timer(label: "greentea_http_request_duration_seconds", dimensions: labels, factory: registry)
        timers.withLock { $0[kind] = timer }
        return timer
    }
}

extension Duration {
    /// Whole nanoseconds.
    var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
