public import EventLog

/// Builds a model anew beside the one in use, and switches when it is complete.
///
/// The process MUST hold the log for writing and have no ``ReadModels`` open: nobody else may follow the log meanwhile.
///
/// A crash at any moment leaves a model that can be used:
/// 1. before the pointer is switched, the old generation, and a folder that nothing names; the next opening removes it;
/// 2. after it, the new generation, complete and flushed, and the old folder, which the next opening removes.
public struct ModelBuilder: Sendable {
    /// `DATA/derived/models`.
    private let models: String
    private let log: EventLog
    private let options: UpdateOptions

    /// - Parameter models: the folder of all models, `DATA/derived/models`.
    public init(models: String, log: EventLog) {
        self.init(models: models, log: log, options: .building)
    }

    package init(models: String, log: EventLog, options: UpdateOptions) {
        (self.models, self.log, self.options) = (models, log, options)
    }

    /// Builds one model up to the log's head and puts it into use.
    ///
    /// - Parameter progress: called after each batch with the position, on this thread.
    /// - Throws: ``ReadModelError``, with the old generation still in use.
    @available(*, noasync)
    public func build<Model: Projection>(
        _ type: Model.Type, progress: (Position) -> Void = { _ in }
    ) throws(ReadModelError) -> BuildSummary {
        let start = ContinuousClock.now
        let folder = ModelFolder(models: models, model: Model.name)
        try folder.removeAll(but: folder.current)
        let opened = try OpenModel.make(type, in: folder)
        let applied = try fill(type, opened, progress)
        try check(opened)
        // Flushed before it is named, so that a pointer never leads to a generation that a power cut can take away.
        try opened.close()
        try folder.use(opened.generation)
        try folder.removeAll(but: opened.generation)
        return BuildSummary(
            model: Model.name, generation: opened.generation.text, position: log.head, applied: applied,
            seconds: (ContinuousClock.now - start) / .seconds(1))
    }

    /// - Returns: how many events were applied.
    @available(*, noasync)
    private func fill<Model: Projection>(
        _ type: Model.Type, _ opened: OpenModel, _ progress: (Position) -> Void
    ) throws(ReadModelError) -> Int {
        var updater = try ModelUpdater(try Model(opened.store), in: opened.store, log: log, options: options)
        while updater.position < log.head {
            try updater.advance(towards: log.head)
            progress(updater.position)
        }
        return updater.applied
    }

    /// What was stored, not what was meant to be: read again before anybody relies on it.
    private func check(_ opened: OpenModel) throws(ReadModelError) {
        let position = try opened.store.mark().position
        guard position == log.head else {
            throw ReadModelError(
                .mismatch, model: opened.store.model, position: position, "the new generation ends there, the log at \(log.head)")
        }
    }
}
