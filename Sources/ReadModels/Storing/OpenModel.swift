package import EventLog
internal import LMDB

/// A model's generation in use, open for writing; see ``ModelFolder`` for what lies where.
package struct OpenModel: Sendable {
    package let store: ModelStore
    /// Nil where it goes on from where it stopped.
    package let reason: BuildReason?
    package let generation: Generation
    private let derived: DerivedEnvironment

    /// Opens the generation in use, or a new and empty one where that can not be gone on with.
    ///
    /// - Parameter models: the folder of all models.
    /// - Throws: ``ReadModelError/Code/storage``, ``ReadModelError/Code/locked``, ``ReadModelError/Code/log``.
    package static func open<Model: Projection>(
        _ model: Model.Type, in models: String, log: EventLog
    ) throws(ReadModelError) -> OpenModel {
        let folder = ModelFolder(models: models, model: Model.name)
        let current = folder.current
        try folder.removeAll(but: current)
        guard let current else { return try fresh(model, .missing, in: folder) }
        guard current.schemaVersion == Model.schemaVersion else { return try fresh(model, .schemaChanged, in: folder) }
        do throws(ReadModelError) {
            let opened = try OpenModel(Model.name, current, .missing, in: folder)
            if try opened.fits(log) { return opened }
            return try fresh(model, .otherLog, in: folder)
        } catch {
            guard error.code == .damaged else { throw error }
            return try fresh(model, .damaged, in: folder)
        }
    }

    /// An empty generation that is not in use yet.
    package static func make<Model: Projection>(_ model: Model.Type, in folder: ModelFolder) throws(ReadModelError) -> OpenModel {
        try OpenModel(Model.name, folder.next(schemaVersion: Model.schemaVersion), .requested, in: folder)
    }

    /// Makes an empty generation the one in use. A crash before the pointer is written leaves a folder that nothing names.
    private static func fresh<Model: Projection>(
        _ model: Model.Type, _ reason: BuildReason, in folder: ModelFolder
    ) throws(ReadModelError) -> OpenModel {
        let generation = folder.next(schemaVersion: Model.schemaVersion)
        let opened = try OpenModel(Model.name, generation, reason, in: folder)
        try folder.use(generation)
        try folder.removeAll(but: generation)
        return opened
    }

    private init(
        _ model: String, _ generation: Generation, _ reason: BuildReason, in folder: ModelFolder
    ) throws(ReadModelError) {
        do {
            try FileSeal(in: folder.path(of: generation)).remove()
            derived = try DerivedEnvironment(directory: folder.path(of: generation))
        } catch {
            throw ReadModelError(any: error, model: model)
        }
        store = try ModelStore(model: model, environment: derived.environment)
        self.generation = generation
        self.reason =
            switch derived.origin {
            case .kept: nil
            case .fresh(.uncleanStop): .uncleanStop
            case .fresh(.damaged): .damaged
            case .fresh: reason
            }
    }

    /// Whether the model's last event is one of this log's.
    private func fits(_ log: EventLog) throws(ReadModelError) -> Bool {
        let mark = try store.mark()
        do throws(EventLogError) {
            return try ModelMark(mark.position, in: log) == mark
        } catch {
            throw ReadModelError(any: error, model: store.model)
        }
    }

    /// Flushes, marks the folder as complete, and seals it. Nothing may write after it.
    ///
    /// - Throws: ``ReadModelError/Code/storage``: the model is built anew then if the machine restarts.
    package func close() throws(ReadModelError) {
        do {
            try derived.close()
            try FileSeal(in: store.directory).write()
        } catch {
            throw ReadModelError(any: error, model: store.model)
        }
    }
}
