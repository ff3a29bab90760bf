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
    private let own: OwnHandover
    private let log: EventLog
    private let isStopping: @Sendable () -> Bool

    init(_ folder: ModelFolder, _ own: OwnHandover, _ log: EventLog, _ isStopping: @escaping @Sendable () -> Bool) {
        (self.folder, self.own, self.log, self.isStopping) = (folder, own, log, isStopping)
    }

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
            own.ask(built.handover(keepsOld: true))
            let refusal = try answer(unless: stopped).refusal
            if let refusal { throw ReadModelError(.refused, model: Model.name, position: built.mark.position, refusal) }
            try lock.finish()
        } catch {
            if !isStopping() { throw error }
        }
    }

    /// Waits for the answer. A stop withdraws the request; if the switch has begun, the lock MUST be held until it is over, because another
    /// process may remove a generation that is not in use.
    private func answer(unless stopped: ReadModelError) throws(ReadModelError) -> HandoverAnswer {
        while true {
            if let answer = own.answered { return answer }
            if isStopping(), own.withdraw() { throw stopped }
            Thread.sleep(forTimeInterval: ProjectionLimits.hurriedSeconds)
        }
    }
}
