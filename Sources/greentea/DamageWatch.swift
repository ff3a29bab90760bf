import Audit
import CommandService
import Composition
import EventLog
import Logging
import LoyaltyCodec
import ServiceLifecycle
import ServiceLog

/// Searches the files of the log, its index and the keys for damage as long as the service runs, on a thread of the lowest priority. Damage is
/// logged, shown by `/readyz` and counted by a metric until the next start. Behind damage of the log, nothing more is written.
struct DamageWatch: Service {
    /// Seconds between two searches, unless a search takes so long that ``restFactor`` gives more, or the schedule of audits less.
    private static let seconds = 60
    /// The pause after a search as a multiple of its duration: a search of a large log takes at most a twentieth of one processor.
    private static let restFactor = 20
    /// The time between two checks of each row of the keys, in addition to their pages.
    private static let rowsPeriod = Duration.seconds(86_400)

    let service: GreenTea
    let data: DataFolder
    let schedule: AuditSchedule
    let logger: Logger

    func run() async throws {
        if let every = schedule.seconds {
            try? await cancelWhenGracefulShutdown {
                var rowsChecked: ContinuousClock.Instant?
                while true {
                    let start = ContinuousClock.now
                    let checksRows = rowsChecked.map { start - $0 >= Self.rowsPeriod } ?? true
                    await ServerInspection.atLowPriority {
                        searchLog()
                        // IndexWatch tells what this finds, and the index makes it anew.
                        service.log.inspectIndex()
                        searchKeys(rows: checksRows)
                    }
                    if checksRows { rowsChecked = start }
                    try await Task.sleep(for: max(.seconds(min(every, Self.seconds)), (.now - start) * Self.restFactor))
                }
            }
        }
        // Waits for the shutdown, because all services of the group end when one returns.
        try? await gracefulShutdown()
    }

    private func searchLog() {
        if isKnown(.log) { return }
        if let error = ServerInspection.damage(of: service.log) {
            tell(DamagedFile(.log, error.detail, position: error.position, remedy: error.remedy))
        } else {
            ServerInspection.end(in: data)
        }
    }

    private func searchKeys(rows: Bool) {
        if isKnown(.keys) { return }
        guard let error = try? service.inspectKeys(rows: rows) else { return }
        tell(DamagedFile(.keys, "\(error)", remedy: "Stop, put the newest copy of the keys in their place, and start."))
    }

    private func isKnown(_ name: DamagedFile.Name) -> Bool { service.damage.contains { $0.name == name } }

    private func tell(_ file: DamagedFile) {
        guard service.note(file) else { return }
        var metadata: Logger.Metadata = ["file": "\(file.name.rawValue)", "detail": "\(file.detail)", "remedy": "\(file.remedy)"]
        metadata["position"] = file.position.map { "\($0)" }
        logger.report(.fileDamaged, at: .critical, "a file of the data folder is damaged", metadata)
    }
}
