import CommandService
import EventLog
import Logging
import ServiceLifecycle

/// Looks for readers of the log once a minute: clears those of killed processes, and warns of one that holds an old snapshot, since the
/// log's file grows by some pages a commit as long as it does.
struct ReaderWatch: Service {
    /// Between two looks.
    private static let seconds = 60

    let service: GreenTea
    let logger: Logger

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            var looks = SnapshotLooks()
            while true {
                try await Task.sleep(for: .seconds(Self.seconds))
                let cleared = service.log.clearDeadReaders()
                if cleared > 0 { logger.notice("readers that were killed are cleared", metadata: ["count": "\(cleared)"]) }
                looks.look(at: service.log.heldSnapshots).forEach(warn)
            }
        }
        // A service that returns ends the others.
        try? await gracefulShutdown()
    }

    private func warn(of snapshot: EventLog.HeldSnapshot) {
        logger.warning(
            "a process has read the log under one snapshot for more than a minute; the file grows meanwhile",
            metadata: ["process": "\(snapshot.process)", "commitsBehind": "\(snapshot.commitsBehind)"])
    }
}
