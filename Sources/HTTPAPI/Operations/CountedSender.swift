import CoreMetrics
import Prometheus
import Synchronization
import TextMessages

/// Counts text messages by result, and knows whether they lately failed.
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
