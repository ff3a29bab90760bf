import Audit
import EventLog
import Logging

/// Writes to the log what the auditor finds.
struct AuditReporter: Sendable {
    let logger: Logger

    func report(_ news: AuditNews) {
        switch news {
        case .mismatch(let difference):
            logger.error(
                "a read model is not what the log says; the reason is being looked for",
                metadata: ["model": "\(difference.model)", "difference": "\(difference)"])
        case .diagnosis(let diagnosis): report(diagnosis)
        case .failure(let model, let error):
            logger.warning("a read model could not be audited", metadata: ["model": "\(model)", "error": "\(error)"])
        case .mended(let model): logger.notice("a read model is what the log says again", metadata: ["model": "\(model)"])
        case .finished(let status):
            let wrong = status.models.count { $0.mismatch != nil }
            logger.debug(
                "the read models were compared with the log",
                metadata: ["mismatches": "\(wrong)", "seconds": "\(status.lastSeconds ?? 0)"])
        }
    }

    private func report(_ diagnosis: Diagnosis) {
        var metadata: Logger.Metadata = [
            "model": "\(diagnosis.model)", "cause": "\(diagnosis.cause.rawValue)", "remedy": "\(diagnosis.remedy)",
        ]
        let parts = [
            ("position", diagnosis.position?.description), ("event", diagnosis.event), ("table", diagnosis.table), ("key", diagnosis.key),
            ("before", diagnosis.before), ("stored", diagnosis.stored), ("expected", diagnosis.expected), ("detail", diagnosis.detail),
        ]
        for (name, text) in parts { metadata[name] = text.map { "\($0)" } }
        logger.error("why a read model is not what the log says", metadata: metadata)
    }
}
