import CommandService
import CoreMetrics
import Images
import Prometheus
import Synchronization
import TextMessages

/// Metrics of work on pictures, set at each scrape. Scrapes may run concurrently.
final class PictureMetrics: Sendable {
    private let registry: PrometheusRegistry
    /// The counts at the previous scrape, by the counter's name and label. The counters already include these counts.
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

/// Metrics of limits on sign-in, set at each scrape. Scrapes may run concurrently.
final class SignInMetrics: Sendable {
    private let registry: PrometheusRegistry
    /// The counts at the previous scrape. The counters already include these counts.
    private let counted = Mutex((computed: 0, dropped: 0))

    init(_ registry: PrometheusRegistry) {
        self.registry = registry
        for (name, help) in Self.helps { registry.describe(name, help) }
    }

    func set(_ activity: PasswordActivity, isBreakerOpen: Bool) {
        Meter(label: "greentea_sign_in_breaker_open", factory: registry).set(isBreakerOpen ? 1 : 0)
        Meter(label: "greentea_password_jobs", dimensions: [("state", "running")], factory: registry).set(Double(activity.running))
        Meter(label: "greentea_password_jobs", dimensions: [("state", "waiting")], factory: registry).set(Double(activity.waiting))
        // If two scrapes run concurrently, the scrape that read the lower counts adds nothing.
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

/// Passes text messages to a sender, and counts the results.
struct CountedSender: TextMessageSender {
    private static let name = "greentea_text_messages_total"

    /// The result of a message. The raw value is a label of the metric.
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

    /// The result of the last message if it was not sent, unless the cause may be its phone number alone; nil otherwise.
    ///
    /// A gateway also refuses a number that does not exist, so one refusal says nothing about the gateway. A refusal is returned only if
    /// messages to ``refusedNumbersMin`` different numbers were refused since the last message that was sent.
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

    /// The last result and the refused numbers, which all copies of a sender share.
    private final class Recent: Sendable {
        let state = Mutex((last: Result.sent, refusedNumbers: Set<String>()))
    }

    init(_ sender: any TextMessageSender, _ registry: PrometheusRegistry) {
        (self.sender, self.registry) = (sender, registry)
        registry.describe(Self.name, "Text messages by what became of them: sent, refused, unreachable, tooMany or failed.")
        // All series begin at 0. If a series began at 1, with its first failure, Prometheus would see no increase.
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
