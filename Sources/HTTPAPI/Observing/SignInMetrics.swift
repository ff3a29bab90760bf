import CommandService
import CoreMetrics
import Prometheus
import Synchronization

/// What guards signing in, looked at when somebody asks. Any task may ask.
final class SignInMetrics: Sendable {
    private let registry: PrometheusRegistry
    /// What the counters have been told of.
    private let counted = Mutex((computed: 0, dropped: 0))

    init(_ registry: PrometheusRegistry) {
        self.registry = registry
        for (name, help) in Self.helps { registry.describe(name, help) }
    }

    func set(_ activity: PasswordActivity, isBreakerOpen: Bool) {
        Meter(label: "greentea_sign_in_breaker_open", factory: registry).set(isBreakerOpen ? 1 : 0)
        Meter(label: "greentea_password_jobs", dimensions: [("state", "running")], factory: registry).set(Double(activity.running))
        Meter(label: "greentea_password_jobs", dimensions: [("state", "waiting")], factory: registry).set(Double(activity.waiting))
        // Of two who ask at once the one that looked earlier has nothing new to tell.
        let (computed, dropped) = counted.withLock { counted in
            let new = (max(0, activity.computed - counted.computed), max(0, activity.dropped - counted.dropped))
            counted = (counted.computed + new.0, counted.dropped + new.1)
            return new
        }
        Counter(label: "greentea_password_hashes_total", factory: registry).increment(by: Int64(computed))
        Counter(label: "greentea_password_hashes_dropped_total", factory: registry).increment(by: Int64(dropped))
    }

    private static let helps = [
        ("greentea_sign_in_breaker_open", "1 while so many sign-in codes were wrong lately that strangers have to wait."),
        ("greentea_password_jobs", "Passwords that are hashed, or wait for that."),
        ("greentea_password_hashes_total", "Passwords that were hashed."),
        ("greentea_password_hashes_dropped_total", "Passwords that were not hashed, since too many waited or their sender had gone."),
    ]
}
