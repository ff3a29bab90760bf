internal import EventLog
internal import Foundation

/// Builds a generation of the program's own schema version in the server itself, while a generation of an older version is served.
///
/// Rows of an older schema version are served if the model declares it in `compatibleVersions`. The new generation is handed over like one
/// built by the tool, through the same files. If it is left half-built, the tool or the next start continues it.
struct Renewal<Model: Projection> {
    /// Small batches, because the server's memory is needed for serving.
    private static var options: UpdateOptions {
        UpdateOptions(
            eventsPerBatch: ProjectionLimits.eventsPerBatch, changesPerBatch: ProjectionLimits.cachedMax,
            cachedMax: ProjectionLimits.cachedMax)
    }

    private let folder: ModelFolder
    private let log: EventLog
    private let isStopping: @Sendable () -> Bool

    init(_ folder: ModelFolder, _ log: EventLog, _ isStopping: @escaping @Sendable () -> Bool) {
        (self.folder, self.log, self.isStopping) = (folder, log, isStopping)
    }

    /// Returns when a generation of this version is in use, or the server stops.
    ///
    /// - Throws: ``ReadModelError``; the older generation is still served.
    @available(*, noasync)
    func run() throws(ReadModelError) {
        LowPriority.begin()
        while !isStopping(), folder.current?.schemaVersion != Model.schemaVersion {
            do throws(ReadModelError) {
                try build(under: try BuildLock(folder))
            } catch {
                // A tool is building the model. When it has ended, check again whether anything is left to do.
                guard error.code == .building else { throw error }
                Thread.sleep(forTimeInterval: ProjectionLimits.idleSeconds)
            }
        }
    }

    @available(*, noasync)
    private func build(under lock: BuildLock) throws(ReadModelError) {
        let stopped = ReadModelError(.unanswered, model: Model.name, "the server stops; the next start goes on")
        do throws(ReadModelError) {
            let builder = ModelBuilder(models: folder.models, log: log, options: Self.options)
            let built = try builder.complete(Model.self, under: lock, checking: .none) { (_) throws(ReadModelError) in
                if isStopping() { throw stopped }
            }
            let files = HandoverFiles(in: folder)
            files.clear()
            try files.ask(built.handover(keepsOld: true))
            while files.answered == nil {
                if isStopping() {
                    // A request that was taken already leads to a switch, or to a half-built generation that the next start finds. An
                    // answer may never come.
                    _ = files.withdraw()
                    throw stopped
                }
                Thread.sleep(forTimeInterval: ProjectionLimits.hurriedSeconds)
            }
            let refusal = files.answered?.refusal
            files.clear()
            if let refusal { throw ReadModelError(.refused, model: Model.name, position: built.mark.position, refusal) }
            try lock.finish()
        } catch {
            if !isStopping() { throw error }
        }
    }
}
