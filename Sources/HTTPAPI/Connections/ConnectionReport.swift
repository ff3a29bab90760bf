import CoreMetrics
import Logging
import Prometheus
import ServiceLog
import Synchronization

/// Counts events of connections and logs the notable ones, at most one line for each kind in an interval, never an address. Any thread may
/// call.
final class ConnectionReport: Sendable {
    /// The reason to close an accepted connection.
    enum CutOff: String, CaseIterable, Sendable {
        case slowRequest
        case stuckAnswer
        case displaced
    }

    private let logger: Logger
    private let openConnections: Meter
    private let refusals: [ConnectionRefusal: Counter]
    private let cutOffs: [CutOff: Counter]
    private let acceptFailures: Counter
    private let bodyRefusals: Counter
    private let throttle = Mutex(LineThrottle())

    init(_ registry: PrometheusRegistry, _ logger: Logger) {
        self.logger = logger
        openConnections = Meter(label: "greentea_connections", factory: registry)
        refusals = Self.counters("greentea_connections_refused_total", registry) { $0.rawValue }
        cutOffs = Self.counters("greentea_connections_cut_off_total", registry) { $0.rawValue }
        acceptFailures = Counter(label: "greentea_accept_failures_total", factory: registry)
        bodyRefusals = Counter(label: "greentea_bodies_refused_total", factory: registry)
        registry.describe("greentea_connections", "Connections that are open.")
        registry.describe("greentea_connections_refused_total", "Connections closed at once, by the cap that was reached.")
        registry.describe(
            "greentea_connections_cut_off_total", "Connections closed since their client was too slow, or held more of a pool than others.")
        registry.describe("greentea_accept_failures_total", "Calls of accept that found no descriptor or memory left.")
        registry.describe("greentea_bodies_refused_total", "Requests refused since too many bytes of bodies were in memory.")
    }

    private static func counters<Reason: CaseIterable & Hashable>(
        _ label: String, _ registry: PrometheusRegistry, _ text: (Reason) -> String
    ) -> [Reason: Counter] {
        Dictionary(
            uniqueKeysWithValues: Reason.allCases.map { reason in
                (reason, Counter(label: label, dimensions: [("reason", text(reason))], factory: registry))
            })
    }

    func open(_ count: Int) { openConnections.set(Double(count)) }

    func refused(_ refusal: ConnectionRefusal) {
        refusals[refusal]?.increment()
        warn(.connectionsRefused, "connections are refused: a cap is reached", "reason", refusal.rawValue)
    }

    func cutOff(_ reason: CutOff) {
        cutOffs[reason]?.increment()
        warn(.connectionsCutOff, "connections are cut off: their clients are too slow, or hold too much", "reason", reason.rawValue)
    }

    func acceptFailed(_ code: CInt) {
        acceptFailures.increment()
        warn(.acceptFailed, "no connection can be accepted for the moment: raise the limit of open files", "errno", "\(code)")
    }

    func bodyRefused(_ pool: String) {
        bodyRefusals.increment()
        warn(.bodiesRefused, "requests are refused: too many bytes of bodies are in memory", "pool", pool)
    }

    private func warn(_ event: ServiceEvent, _ message: Logger.Message, _ key: String, _ value: String) {
        let count = throttle.withLock { $0.count("\(message) \(value)", at: .now) }
        guard let count else { return }
        logger.report(event, at: .warning, message, [key: "\(value)", "times": "\(count)"])
    }
}

/// Limits log lines: the first event at once, then one in each interval for each kind.
struct LineThrottle {
    private struct Kind {
        var last: ContinuousClock.Instant
        var untold = 0
    }

    private let interval: Duration
    /// Few, because the program chooses the names.
    private var kinds: [String: Kind] = [:]

    init(interval: Duration = .seconds(Limits.connectionLineSeconds)) { self.interval = interval }

    /// - Returns: the events to report now, including this one; nil if no line is due.
    mutating func count(_ kind: String, at now: ContinuousClock.Instant) -> Int? {
        guard var known = kinds[kind] else {
            kinds[kind] = Kind(last: now)
            return 1
        }
        known.untold += 1
        defer { kinds[kind] = known }
        guard known.last + interval <= now else { return nil }
        let count = known.untold
        known = Kind(last: now)
        return count
    }
}
