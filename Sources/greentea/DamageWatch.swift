import Audit
import CommandService
import Composition
import EventLog
import Logging
import LoyaltyCodec
import ReadModels
import ServiceLifecycle
import ServiceLog

/// Searches the files of the log, its index, the keys and the models for damage as long as the service runs, on a thread of the lowest
/// priority. Damage is logged, shown by `/readyz` and counted by a metric until the next start. Behind damage of the log, nothing more is
/// written.
struct DamageWatch: Service {
    /// Seconds between two looks, unless the schedule of audits gives less.
    private static let seconds = 60
    /// The pause after a search as a multiple of its duration: a search of a large log takes at most a twentieth of one processor. Looks
    /// meanwhile find only that the log was removed.
    private static let restFactor = 20
    /// The time between two checks of each row of the keys, in addition to their pages.
    private static let rowsPeriod = Duration.seconds(86_400)

    let service: GreenTea
    let data: DataFolder
    let schedule: AuditSchedule
    let logger: Logger

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            var (searchDue, rowsDue) = (ContinuousClock.now, ContinuousClock.now)
            while true {
                let start = ContinuousClock.now
                if start < searchDue {
                    searchLog(inPlaceOnly: true)
                } else {
                    let checksRows = start >= rowsDue
                    await ServerInspection.atLowPriority { search(rows: checksRows) }
                    if checksRows { rowsDue = start + Self.rowsPeriod }
                    searchDue = .now + (.now - start) * Self.restFactor
                }
                try await Task.sleep(for: .seconds(min(schedule.seconds ?? Self.seconds, Self.seconds)))
            }
        }
        // Waits for the shutdown, because all services of the group end when one returns.
        try? await gracefulShutdown()
    }

    private func search(rows: Bool) {
        searchLog(inPlaceOnly: false)
        // IndexWatch tells what this finds, and the index makes it anew.
        service.log.inspectIndex()
        searchKeys(rows: rows)
        // ModelWatch tells what this finds. A model cannot be rebuilt from a damaged log.
        if !isKnown(.log) { service.models.search() }
    }

    private func searchLog(inPlaceOnly: Bool) {
        if isKnown(.log) { return }
        switch ServerInspection.search(service.log, inPlaceOnly: inPlaceOnly) {
        case .damaged(let error): tell(DamagedFile(.log, error.detail, position: error.position, remedy: error.remedy))
        case .whole:
            service.noteWholeLog()
            ServerInspection.end(in: data)
        case .unknown: break
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
