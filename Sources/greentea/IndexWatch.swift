import CommandService
import EventLog
import Logging
import ServiceLifecycle

/// Writes to the log what becomes of the tag index: when runs cannot be stored, when they can again, when one was found damaged.
///
/// The service goes on without it: look-ups scan the log for what the index lacks, and the index tries again by itself.
struct IndexWatch: Service {
    /// Between two looks. Nobody waits for the line.
    private static let seconds = 1

    let service: GreenTea
    let logger: Logger

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            var (hasFailed, damages) = (false, 0)
            while true {
                if let status = service.log.indexStatus {
                    if hasFailed != (status.failure != nil) { tell(status) }
                    if status.damagesFound > damages { tellDamage(status) }
                    (hasFailed, damages) = (status.failure != nil, status.damagesFound)
                }
                try await Task.sleep(for: .seconds(Self.seconds))
            }
        }
        // A service that returns ends the others.
        try? await gracefulShutdown()
    }

    private func tell(_ status: IndexStatus) {
        guard let failure = status.failure else {
            return logger.notice("the tag index can be stored again", metadata: ["position": "\(status.covered)"])
        }
        logger.error(
            "the tag index cannot be stored; it tries again, and nothing else is affected but speed",
            metadata: [
                "cause": "\(failure.code)", "detail": "\(failure.detail)",
                "remedy": "\(failure.remedy)", "position": "\(status.covered)", "events_in_memory": "\(status.memoryEvents)",
            ])
    }

    private func tellDamage(_ status: IndexStatus) {
        logger.warning(
            "a run of the tag index is damaged; the log answers in its place while it is made anew",
            metadata: ["damaged": "\(status.damagedRuns)", "found": "\(status.damagesFound)"])
    }
}
