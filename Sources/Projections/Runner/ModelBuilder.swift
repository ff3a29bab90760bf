public import EventLog

/// Rebuilds a model while the current generation stays in use.
///
/// A builder reads the log and writes into a generation that is not in use, so it may run in a separate process while a server runs.
/// ``BuildLock`` permits one builder per model at a time. After a crash, the old generation is still in use, and the next builder continues
/// the incomplete generation. When the new generation is put into use, it is complete and flushed.
public struct ModelBuilder: Sendable {
    /// A closure that is called after each step, on the builder's thread. If it throws, the build ends there, as after a crash.
    package typealias Observer = (BuildStep) throws(ReadModelError) -> Void

    /// The folder of all models, `DATA/derived/models`.
    private let models: String
    private let log: EventLog
    private let options: UpdateOptions

    /// Creates a builder.
    ///
    /// - Parameter models: the folder of all models, `DATA/derived/models`.
    public init(models: String, log: EventLog) {
        self.init(models: models, log: log, options: .building)
    }

    package init(models: String, log: EventLog, options: UpdateOptions) {
        (self.models, self.log, self.options) = (models, log, options)
    }

    /// Builds one model up to the log's head, puts it into use, and removes the old generation.
    ///
    /// The process MUST have the log open for writing and have no ``ReadModels`` open, so that no other thread follows the log meanwhile.
    ///
    /// - Parameter progress: called after each batch with the position, on this thread.
    /// - Throws: ``ReadModelError``; after an error, the old generation is still in use, unless the error came after the switch.
    @available(*, noasync)
    public func build<Model: Projection>(
        _ type: Model.Type, progress: (Position) -> Void = { _ in }
    ) throws(ReadModelError) -> BuildSummary {
        let start = ContinuousClock.now
        let lock = try BuildLock(ModelFolder(models: models, model: Model.name))
        let built = try complete(type, under: lock, checking: .none) { (step) throws(ReadModelError) in
            if case .advanced(let position, _) = step { progress(position) }
        }
        try lock.folder.switchOver(to: built.generation)
        try lock.finish()
        try lock.folder.forgetPrevious()
        try lock.folder.removeStrays()
        return BuildSummary(
            model: Model.name, generation: built.generation.text, position: built.mark.position, applied: built.applied,
            seconds: (ContinuousClock.now - start) / .seconds(1))
    }

    /// Completes a generation: begins a new one or continues an incomplete one, applies all events up to the log's head, runs the check,
    /// flushes it and stores a checksum of its file.
    ///
    /// The generation is closed when this returns.
    ///
    /// - Parameter known: an existing complete generation, to which only the newest events are applied; nil to build one.
    /// - Throws: ``ReadModelError``. A generation that fails the check with ``ReadModelError/Code/mismatch`` is removed, unless it is
    ///   `known`.
    @available(*, noasync)
    package func complete<Model: Projection>(
        _ type: Model.Type, under lock: BuildLock, known: Generation? = nil, checking check: ContentCheck, _ observe: Observer
    ) throws(ReadModelError) -> BuiltGeneration {
        let opened = try opened(type, under: lock, known: known)
        let resumedAt = try opened.store.mark().position
        try observe(.opened(generation: opened.generation.text, at: resumedAt))
        let (position, applied) = try fill(type, opened, observe)
        // The position is read from the store and compared with the reached position, because later steps rely on the stored position.
        let mark = try opened.store.mark()
        guard mark.position == position else {
            throw ReadModelError(.mismatch, model: Model.name, position: mark.position, "the new generation was filled up to \(position)")
        }
        try observe(.checking(position))
        let verdict = try checked(opened, position, check, dropping: known == nil ? lock : nil)
        // The generation is flushed before the file `current` names it, so that a power failure cannot destroy a generation in use.
        try opened.close(sealedBytesMax: .max)
        try observe(.closed(position))
        return BuiltGeneration(
            opened.generation, at: mark, digest: verdict.digest, seal: lock.folder.seal(of: opened.generation).text ?? "",
            rows: verdict.rows, applied: applied, resumedAt: resumedAt)
    }

    private func opened<Model: Projection>(
        _ type: Model.Type, under lock: BuildLock, known: Generation?
    ) throws(ReadModelError) -> OpenModel {
        if let known {
            let opened = try OpenModel.goOn(with: known, in: lock.folder)
            if try opened.fits(log) { return opened }
            throw ReadModelError(.mismatch, model: Model.name, "\(known.text) belongs to another log")
        }
        if let unfinished = lock.unfinished(schemaVersion: Model.schemaVersion) {
            do throws(ReadModelError) {
                let opened = try OpenModel.goOn(with: unfinished, in: lock.folder)
                if try opened.fits(log) { return opened }
            } catch {
                guard error.code == .damaged else { throw error }
            }
        }
        return try OpenModel.goOn(with: try lock.begin(schemaVersion: Model.schemaVersion), in: lock.folder)
    }

    /// Applies events up to the log's head.
    ///
    /// - Returns: the position that was reached, and the number of applied events.
    @available(*, noasync)
    private func fill<Model: Projection>(
        _ type: Model.Type, _ opened: OpenModel, _ observe: Observer
    ) throws(ReadModelError) -> (Position, Int) {
        var updater = try ModelUpdater(try Model(opened.store), in: opened.store, log: log, options: options)
        var head = log.head
        // If a server runs, the log grows while this loop applies events. The server applies the last few events during the hand-over.
        repeat {
            while updater.position < head {
                try updater.advance(towards: head)
                try observe(.advanced(updater.position, head: head))
            }
            head = log.head
        } while head.rawValue > updater.position.rawValue + ProjectionLimits.handoverLagEvents
        return (updater.position, updater.applied)
    }

    /// Runs the check of a generation's content. If the content differs and `lock` is not nil, removes the generation, so that no later
    /// build continues it.
    private func checked(
        _ opened: OpenModel, _ position: Position, _ check: ContentCheck, dropping lock: BuildLock?
    ) throws(ReadModelError) -> ContentCheck.Verdict {
        do throws(ReadModelError) {
            return try check.verdict(opened.store, position)
        } catch {
            if error.code == .mismatch { try lock?.drop(opened.generation) }
            throw error
        }
    }
}

/// The step that a rebuild has reached. It is used to report progress, and by tests that end the rebuild at a step.
public enum BuildStep: Sendable, Hashable {
    /// A generation is open. It is empty, or contains the rows of an earlier, interrupted build.
    case opened(generation: String, at: Position)
    /// A batch of events is stored, up to a position; `head` is the log's head at that time.
    case advanced(Position, head: Position)
    /// The content is about to be compared with a replay.
    case checking(Position)
    /// The generation was checked and flushed, and a checksum of its file was stored.
    case closed(Position)
    /// The request to the server is about to be written. If no server runs, the tool itself switches to the new generation.
    case offered
    /// The new generation is in use.
    case switched
}

/// The result of a rebuild.
public struct BuildSummary: Sendable {
    /// The model's name.
    public let model: String
    /// The name of the generation that is now in use, such as `v1-g4`.
    public let generation: String
    /// The model's position, which is also the number of events in the log up to it.
    public let position: Position
    /// The number of events that the build read and that concern the model.
    public let applied: Int
    /// The duration of the build in seconds, including the flush and the switch.
    public let seconds: Double

    package init(model: String, generation: String, position: Position, applied: Int, seconds: Double) {
        (self.model, self.generation, self.position) = (model, generation, position)
        (self.applied, self.seconds) = (applied, seconds)
    }

    /// The position divided by the duration: the events per second, if the build began with the log's first event.
    public var rate: Double { seconds > 0 ? Double(position.rawValue) / seconds : 0 }
}

/// Compares a complete generation with its expected content before it is put into use. This layer has no replay, so the caller provides the
/// check.
package struct ContentCheck: Sendable {
    /// The result of a successful check: the digest of the content, and the number of rows.
    package struct Verdict: Sendable {
        package let digest: String
        package let rows: Int

        package init(digest: String, rows: Int) {
            (self.digest, self.rows) = (digest, rows)
        }
    }

    /// Checks the content.
    ///
    /// - Throws: ``ReadModelError/Code/mismatch``; after this error, the caller removes the generation, unless it was complete before.
    package let verdict: @Sendable (ModelStore, Position) throws(ReadModelError) -> Verdict

    package init(_ verdict: @escaping @Sendable (ModelStore, Position) throws(ReadModelError) -> Verdict) {
        self.verdict = verdict
    }

    /// A check that accepts any content. The other checks of ``ModelBuilder`` are still made.
    package static let none = ContentCheck { _, _ in Verdict(digest: "", rows: 0) }
}

/// A generation that is complete and flushed, but not in use yet. A checksum of its file (``FileSeal``) is stored.
package struct BuiltGeneration: Sendable {
    package let generation: Generation
    package let mark: ModelMark
    /// The digest of the generation's content, from the check; empty if there was no check.
    package let digest: String
    let seal: String
    /// The position from which this build continued; 0 for a new generation.
    package let resumedAt: Position
    /// The number of events that concern the model, among the events that this build read.
    package let applied: Int
    /// The number of rows in all tables of the model.
    package let rows: Int

    /// Creates the description of a built generation.
    ///
    /// - Parameter seal: the checksum of the generation's file, from ``FileSeal``.
    package init(
        _ generation: Generation, at mark: ModelMark, digest: String, seal: String, rows: Int, applied: Int, resumedAt: Position
    ) {
        (self.generation, self.mark, self.digest, self.seal) = (generation, mark, digest, seal)
        (self.rows, self.applied, self.resumedAt) = (rows, applied, resumedAt)
    }

    /// Returns the request to the server to put this generation into use.
    package func handover(keepsOld: Bool) -> Handover {
        Handover(generation, at: mark, digest: digest, seal: seal, keepsOld: keepsOld)
    }
}
