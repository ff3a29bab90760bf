import CoreMetrics
import Prometheus
import TextMessages

/// Counts what becomes of text messages on the way to a sender.
struct CountedSender: TextMessageSender {
    private static let name = "greentea_text_messages_total"

    private let sender: any TextMessageSender
    private let registry: PrometheusRegistry

    init(_ sender: any TextMessageSender, _ registry: PrometheusRegistry) {
        (self.sender, self.registry) = (sender, registry)
        registry.describe(Self.name, "Text messages by what became of them: sent, refused, unreachable, tooMany or failed.")
    }

    func send(_ message: TextMessage) async throws {
        do {
            try await sender.send(message)
            count("sent")
        } catch {
            count(Self.result(of: error))
            throw error
        }
    }

    func close() async throws { try await sender.close() }

    private func count(_ result: String) {
        Counter(label: Self.name, dimensions: [("result", result)], factory: registry).increment()
    }

    private static func result(of error: any Error) -> String {
        switch error as? TextMessageError {
        case .refused: "refused"
        case .unreachable: "unreachable"
        case .tooMany: "tooMany"
        default: "failed"
        }
    }
}
