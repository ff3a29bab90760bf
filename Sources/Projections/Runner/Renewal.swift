internal import BackgroundWork
internal import EventLog
internal import Foundation

/// Builds a generation of the program's own schema version in the server, while readers see one of `compatibleVersions`.
struct Renewal<Model: Projection> {
    /// Small batches, because the server needs its memory for requests.
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

    /// Builds until a generation of the program's version is in use, or the server stops.
    ///
    /// - Throws: ``ReadModelError``; the older generation is still served.
    @available(*, noasync)
    func run() throws(ReadModelError) {
        LowPriority.begin()
        while !isStopping(), folder.current?.schemaVersion != Model.schemaVersion {
            do throws(ReadModelError) {
                try build(under: try BuildLock(folder))
            } catch {
                // A tool is building the model. Wait, and check again whether it is still of an older version.
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
                    // A stopping server may not answer a request that it has taken. It switches, or the next start finds an incomplete
                    // generation.
                    _ = files.withdraw()
                    throw stopped
                }
                // The server removes a request that it cannot answer, perhaps after the switch.
                if !files.isOpen {
                    if folder.current == built.generation { break }
                    throw ReadModelError(
                        .unanswered, model: Model.name, position: built.mark.position,
                        "\(built.generation.text) is complete, but the request to put it into use is gone without an answer")
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
