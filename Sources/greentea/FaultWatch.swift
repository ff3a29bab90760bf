import HTTPAPI
import Logging
import ServiceLifecycle
import ServiceLog

/// Logs each condition of `/readyz` when it appears and ends, and the beginning of the shutdown.
struct FaultWatch: Service {
    private static let seconds = 1

    let faults: @Sendable () -> [ServiceFault]
    let logger: Logger

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            var looks = FaultLooks()
            while true {
                looks.look(at: faults(), now: .now).forEach(report)
                try await Task.sleep(for: .seconds(Self.seconds))
            }
        }
        try? await gracefulShutdown()
        logger.report(.serverStopping, at: .notice, "greentea stops: it finishes what is under way")
    }

    private func report(_ news: FaultLooks.News) {
        var metadata: Logger.Metadata = ["code": "\(news.fault.code)"]
        metadata["subject"] = news.fault.subject.map { "\($0)" }
        if let seconds = news.seconds {
            metadata["seconds"] = "\(seconds)"
            logger.report(.faultEnded, at: .notice, "a condition of /readyz has gone", metadata)
        } else if news.isExpected {
            logger.report(
                .faultBegan, at: .notice, "a model is built from the first event; until then /readyz says that it is behind", metadata)
        } else {
            let level: Logger.Level = news.fault.isReason ? .error : .warning
            logger.report(.faultBegan, at: level, "a condition of /readyz has appeared: it has the remedy", metadata)
        }
    }
}
