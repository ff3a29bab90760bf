import HTTPAPI
import Logging
import ServiceLifecycle
import ServiceLog

/// Logs each condition of `/readyz` when it appears and ends, and the beginning of the shutdown.
struct FaultWatch: Service {
    let faults: @Sendable () -> [ServiceFault]
    let logger: Logger

    func run() async {
        await untilShutdown(from: FaultLooks()) { looks in
            looks.look(at: faults(), now: .now).forEach(report)
            return .seconds(1)
        }
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
