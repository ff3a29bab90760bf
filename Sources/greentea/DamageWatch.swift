import Audit
import CommandService
import Composition
import EventLog
import Logging
import LoyaltyCodec
import ReadModels
import ServiceLifecycle
import ServiceLog

/// Searches log, index, keys and models for damage while the service runs, at the lowest priority. Damage is logged, shown by `/readyz` and
/// counted until the next start. Behind damage of the log, nothing more is written. Where only its lock file was overwritten, the writer
/// ends the process at the next event instead, because a restart mends that. For the lock file of the keys, the watch ends the process.
struct DamageWatch: Service {
    /// Seconds between two checks of the open files, and at least between two searches, unless the schedule of audits gives less.
    private static let seconds = 60
    /// The pause after a search, in durations of the search, which so takes at most a twentieth of a processor.
    private static let restFactor = 20
    /// Between two checks of each row of the keys, besides their pages.
    private static let rowsPeriod = Duration.seconds(86_400)

    let service: GreenTea
    let data: DataFolder
    let schedule: AuditSchedule
    let logger: Logger

    func run() async throws {
        let pause = Duration.seconds(min(schedule.seconds ?? Self.seconds, Self.seconds))
        do {
            try await cancelWhenGracefulShutdown {
                // A search of a large log takes long, and a removed log or an overwritten lock file must be noticed sooner.
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await repeatLooks(pause) }
                    group.addTask { try await repeatSearches(pause) }
                    for try await _ in group {}
                }
            }
        } catch is CancellationError {}
        // All services of the group end when one returns.
        try? await gracefulShutdown()
    }

    private func repeatLooks(_ pause: Duration) async throws {
        while true {
            lookForDisplacement()
            lookAtKeysLock()
            let keys = service.damage.first { $0.name == .keys && $0.kind == .lockFile }
            if let keys { throw Refusal.keysLockOverwritten(keys.detail) }
            try await Task.sleep(for: pause)
        }
    }

    private func repeatSearches(_ pause: Duration) async throws {
        var rowsDue = ContinuousClock.now
        while true {
            let start = ContinuousClock.now
            let checksRows = start >= rowsDue
            await ServerInspection.atLowPriority { search(rows: checksRows) }
            if checksRows { rowsDue = start + Self.rowsPeriod }
            try await Task.sleep(for: max(pause, (.now - start) * Self.restFactor))
        }
    }

    private func search(rows: Bool) {
        if !isKnown(.log) { searchLog() }
        // IndexWatch tells the finding, and the index makes it anew.
        service.log.inspectIndex()
        searchKeys(rows: rows)
        // ModelWatch tells the finding. A model cannot be rebuilt from a damaged log.
        if !isKnown(.log) { service.models.search() }
    }

    private func lookForDisplacement() {
        if let error = ServerInspection.displacement(of: service.log, in: data) {
            report(DamagedFile(.log, error.detail, remedy: error.remedy, kind: .removal))
        } else if let error = ServerInspection.lockDamage(of: service.log) {
            report(DamagedFile(.log, error.detail, remedy: error.remedy, kind: .lockFile))
        }
    }

    private func lookAtKeysLock() {
        if isKnown(.keys) { return }
        if let error = service.keysLockDamage { report(DamagedFile(.keys, "\(error)", remedy: Self.keysLockRemedy, kind: .lockFile)) }
    }

    private func searchLog() {
        lookForDisplacement()
        if isKnown(.log) { return }
        switch ServerInspection.search(service.log) {
        case .damaged(let error):
            ServerInspection.begin(in: data)
            report(DamagedFile(.log, error.detail, position: error.position, remedy: error.remedy))
        case .whole:
            service.noteWholeLog()
            ServerInspection.end(in: data)
        case .eventsWhole: service.noteWholeLog()
        case .unknown: break
        }
    }

    private func searchKeys(rows: Bool) {
        if isKnown(.keys) { return }
        guard let error = try? service.inspectKeys(rows: rows) else { return }
        switch error {
        case .removed(let path, _, let open):
            report(DamagedFile(.keys, "\(error)", remedy: RemovedFile(path + "/data.mdb", openAs: open).ownRemedy))
        case .lockDamaged: report(DamagedFile(.keys, "\(error)", remedy: Self.keysLockRemedy, kind: .lockFile))
        default: report(DamagedFile(.keys, "\(error)", remedy: Self.keysRemedy))
        }
    }

    private static let keysLockRemedy = "The process ends with code 3, and its restart makes lock.mdb anew. Nothing is lost."

    private static let keysRemedy = """
        Where a page is damaged, do what the detail says, and start. For one row, stop, put the newest copy of the keys in their place, \
        and start; but ask first whether somebody has registered since that copy: who has, loses the key.
        """

    private func isKnown(_ name: DamagedFile.Name) -> Bool { service.damage.contains { $0.name == name } }

    private func report(_ file: DamagedFile) {
        guard service.note(file) else { return }
        var metadata: Logger.Metadata = ["file": "\(file.name.rawValue)", "detail": "\(file.detail)", "remedy": "\(file.remedy)"]
        metadata["position"] = file.position.map { "\($0)" }
        logger.report(.fileDamaged, at: .critical, "a file of the data folder is damaged", metadata)
    }
}
