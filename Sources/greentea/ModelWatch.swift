import Audit
import CommandService
import Composition
import EventLog
import HTTPAPI
import Logging
import Projections
import ReadModels
import ServiceLifecycle
import ServiceLog

/// Logs changes of the read models: stopped, following again, removed, damaged, made again, not built. The service continues when a model
/// has stopped, but `/readyz` reports it as not ready.
struct ModelWatch: Service {
    let service: GreenTea
    let logger: Logger

    func run() async {
        await untilShutdown(from: [ModelStatus]()) { seen in
            let status = service.models.status
            ModelNews.between(seen, status).forEach(report)
            seen = status
            return .seconds(1)
        }
    }

    private func report(_ news: ModelNews) {
        switch news {
        case .stopped(let failure):
            logger.report(.modelStopped, at: .error, "a read model has stopped; what it had is still served", metadata(of: failure))
        case .goesOn(let model):
            logger.report(.modelResumed, at: .notice, "a read model goes on", ["model": "\(model)"])
        case .lost(let loss) where loss.code == .damaged:
            logger.report(.modelDamaged, at: .error, "a read model is damaged; it is rebuilt from the log", metadata(of: loss))
        case .lost(let loss):
            logger.report(
                .modelRemoved, at: .error, "files of a read model were removed; it serves on and is made again", metadata(of: loss))
        case .remade(let model):
            logger.report(.modelRemade, at: .notice, "a read model was made again", ["model": "\(model)"])
        case .notRenewed(let failure):
            logger.report(
                .modelNotRenewed, at: .warning, "a read model could not be built anew; the older one is served", metadata(of: failure))
        }
    }

    private func metadata(of failure: ReadModelError) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "model": "\(failure.model)", "cause": "\(failure.code)", "detail": "\(failure.detail)", "remedy": "\(failure.remedy)",
        ]
        metadata["position"] = failure.position.map { "\($0)" }
        metadata["eventType"] = failure.eventType.map { "\($0)" }
        return metadata
    }
}

struct AuditReporter: Sendable {
    let logger: Logger

    func report(_ news: AuditNews) {
        switch news {
        case .mismatch(let difference):
            logger.report(
                .modelMismatch, at: .error, "a read model is not what the log says; the reason is being looked for",
                ["model": "\(difference.model)", "difference": "\(difference)"])
        case .diagnosis(let diagnosis): report(diagnosis)
        case .failure(let model, let error):
            logger.report(.auditFailed, at: .warning, "a read model could not be audited", ["model": "\(model)", "error": "\(error)"])
        case .mended(let model):
            logger.report(.modelMended, at: .notice, "a read model is what the log says again", ["model": "\(model)"])
        case .finished(let status):
            let wrong = status.models.count { $0.mismatch != nil }
            logger.report(
                .auditFinished, at: .debug, "the read models were compared with the log",
                ["mismatches": "\(wrong)", "seconds": "\(status.lastSeconds ?? 0)"])
        }
    }

    private func report(_ diagnosis: Diagnosis) {
        var metadata: Logger.Metadata = [
            "model": "\(diagnosis.model)", "cause": "\(diagnosis.cause.rawValue)", "remedy": "\(diagnosis.remedy)",
        ]
        let parts = [
            ("position", diagnosis.position?.description), ("eventType", diagnosis.event), ("table", diagnosis.table),
            ("key", diagnosis.key),
            ("before", diagnosis.before), ("stored", diagnosis.stored), ("expected", diagnosis.expected), ("detail", diagnosis.detail),
        ]
        for (name, text) in parts { metadata[name] = text.map { "\($0)" } }
        logger.report(.modelDiagnosed, at: .error, "why a read model is not what the log says", metadata)
    }
}

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
