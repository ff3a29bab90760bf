internal import BackgroundWork
internal import EventLog
internal import Foundation

/// Builds a generation of the program's own schema version in the server's own process, while readers see a generation of an older version.
///
/// Rows of an older schema version are served if the model declares it in `compatibleVersions`. The new generation is handed over through
/// the same files as a generation that the rebuild tool has built. If it stays incomplete, the tool or the next start of the server
/// continues it.
struct Renewal<Model: Projection> {
    /// The limits of the build's batches. They are small, because the server needs its memory for requests.
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

    /// Builds the generation. Returns when a generation of the program's version is in use, or when the server stops.
    ///
    /// - Throws: ``ReadModelError``; the older generation is still served.
    @available(*, noasync)
    func run() throws(ReadModelError) {
        LowPriority.begin()
        while !isStopping(), folder.current?.schemaVersion != Model.schemaVersion {
            do throws(ReadModelError) {
                try build(under: try BuildLock(folder))
            } catch {
                // The code `building` means that a tool is building the model. The loop waits, and then checks again whether the model is
                // still of an older version.
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
                    // The server may have begun to carry out the request, so that the request cannot be withdrawn. Then the server still
                    // switches, or the next start finds an incomplete generation. This loop does not wait for the answer, because a
                    // stopping server may give none.
                    _ = files.withdraw()
                    throw stopped
                }
                // The server removes a request for which it cannot write an answer. It may have put the generation into use before that.
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
