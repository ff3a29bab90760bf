import CommandService
import CoreMetrics
import Images
import Prometheus
import Synchronization
import TextMessages

/// Metrics of work on pictures, set at each scrape, also concurrently.
final class PictureMetrics: Sendable {
    private let registry: PrometheusRegistry
    /// The counts that the counters already include.
    private let counted = Mutex<[String: UInt64]>([:])

    init(_ registry: PrometheusRegistry) {
        self.registry = registry
        for (name, help) in Self.helps { registry.describe(name, help) }
    }

    func set(_ activity: PictureActivity) {
        Meter(label: "greentea_picture_jobs", dimensions: [("state", "running")], factory: registry).set(Double(activity.running))
        Meter(label: "greentea_picture_jobs", dimensions: [("state", "waiting")], factory: registry).set(Double(activity.waiting))
        count("greentea_picture_children_total", [], activity.children)
        for limit in PictureActivity.Limit.allCases {
            count("greentea_picture_refusals_total", [("limit", limit.rawValue)], activity.refused[limit] ?? 0)
        }
    }

    private func count(_ name: String, _ dimensions: [(String, String)], _ total: UInt64) {
        let label = name + (dimensions.first?.1 ?? "")
        let new = counted.withLock { counted in
            let before = counted[label] ?? 0
            counted[label] = max(before, total)
            return total > before ? total - before : 0
        }
        Counter(label: name, dimensions: dimensions, factory: registry).increment(by: Int64(clamping: new))
    }

    private static let helps = [
        ("greentea_picture_jobs", "Pictures and thumbnails that are made, or wait for that."),
        ("greentea_picture_children_total", "Child processes that were started for a picture."),
        ("greentea_picture_refusals_total", "Pictures that were refused, by the limit that they hit."),
    ]
}

/// Metrics of limits on sign-in, set at each scrape, also concurrently.
final class SignInMetrics: Sendable {
    private let registry: PrometheusRegistry
    /// The counts that the counters already include.
    private let counted = Mutex((computed: 0, dropped: 0))

    init(_ registry: PrometheusRegistry) {
        self.registry = registry
        for (name, help) in Self.helps { registry.describe(name, help) }
    }

    func set(_ activity: PasswordActivity, isBreakerOpen: Bool) {
        Meter(label: "greentea_sign_in_breaker_open", factory: registry).set(isBreakerOpen ? 1 : 0)
        Meter(label: "greentea_password_jobs", dimensions: [("state", "running")], factory: registry).set(Double(activity.running))
        Meter(label: "greentea_password_jobs", dimensions: [("state", "waiting")], factory: registry).set(Double(activity.waiting))
        // If two scrapes run concurrently, the one with the lower counts adds nothing.
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

struct CountedSender: TextMessageSender {
    private static let name = "greentea_text_messages_total"

    /// The raw value is a label of the metric.
    enum Result: String, CaseIterable {
        case sent
        case refused
        case unreachable
        case tooMany
        case failed

        init(_ error: any Error) {
            self =
                switch error as? TextMessageError {
                case .refused: .refused
                case .unreachable: .unreachable
                case .tooMany: .tooMany
                default: .failed
                }
        }
    }

    private let sender: any TextMessageSender
    private let registry: PrometheusRegistry
    private let recent = Recent()

    /// The last result if it was no success and may not be the phone number's fault. A gateway also refuses numbers that do not exist, so
    /// refusals count only after ``refusedNumbersMin`` different numbers.
    var failure: Result? {
        recent.state.withLock { state in
            switch state.last {
            case .sent: nil
            case .refused: state.refusedNumbers.count >= Self.refusedNumbersMin ? .refused : nil
            case .unreachable, .tooMany, .failed: state.last
            }
        }
    }

    private static let refusedNumbersMin = 3

    /// Shared by all copies of a sender.
    private final class Recent: Sendable {
        let state = Mutex((last: Result.sent, refusedNumbers: Set<String>()))
    }

    init(_ sender: any TextMessageSender, _ registry: PrometheusRegistry) {
        (self.sender, self.registry) = (sender, registry)
        registry.describe(Self.name, "Text messages by what became of them: sent, refused, unreachable, tooMany or failed.")
        // A series that began at 1 would show Prometheus no increase.
        for result in Result.allCases { count(result, by: 0) }
    }

    func send(_ message: TextMessage) async throws {
        do {
            try await sender.send(message)
            ended(.sent, message)
        } catch {
            ended(Result(error), message)
            throw error
        }
    }

    func close() async throws { try await sender.close() }

    private func ended(_ result: Result, _ message: TextMessage) {
        count(result)
        recent.state.withLock { state in
            state.last = result
            if result == .sent { state.refusedNumbers = [] }
            if result == .refused, state.refusedNumbers.count < Self.refusedNumbersMin { state.refusedNumbers.insert(message.phone) }
        }
    }

    private func count(_ result: Result, by count: Int64 = 1) {
        Counter(label: Self.name, dimensions: [("result", result.rawValue)], factory: registry).increment(by: count)
    }
}
