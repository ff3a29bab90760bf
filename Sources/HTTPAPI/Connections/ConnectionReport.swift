import CoreMetrics
import Logging
import Prometheus
import ServiceLog
import Synchronization

/// Counts events of connections in the metrics, and logs the events that an operator should know, with at most one line for each kind of
/// event in an interval.
///
/// The counts and the lines contain no address. Any thread may call its methods.
final class ConnectionReport: Sendable {
    /// A reason to close a connection that was accepted.
    enum CutOff: String, CaseIterable, Sendable {
        /// A request arrived too slowly.
        case slowRequest
        /// The client did not read its answer.
        case stuckAnswer
        /// Another client took the request's place in a pool.
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

    /// Sets the metric of open connections.
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

/// Decides when a log line is due for a kind of event that may happen a thousand times a second: at once for the first event, then at most
/// once in each interval.
struct LineThrottle {
    private struct Kind {
        var last: ContinuousClock.Instant
        var untold = 0
    }

    private let interval: Duration
    /// The kinds of events that have occurred, by name. There are few, because the program and not a client chooses the names.
    private var kinds: [String: Kind] = [:]

    init(interval: Duration = .seconds(Limits.connectionLineSeconds)) { self.interval = interval }

    /// Counts one event of a kind.
    ///
    /// - Returns: the number of events that a line should report now, including this one; nil if no line is due.
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
