public import EventLog

/// Builds a model anew beside the one in use.
///
/// It reads the log and writes into a generation that no pointer names, so it may run beside a server, in a process of its own. The
/// builders of one model exclude each other (``BuildLock``). A crash at any moment leaves the old generation in use, and a half-built one
/// that the next builder goes on with; or, after the switch, the new one, complete and flushed.
public struct ModelBuilder: Sendable {
    /// Called after each step, on the builder's thread; what it throws ends the build there, as a crash would.
    package typealias Observer = (BuildStep) throws(ReadModelError) -> Void

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

    /// Builds one model up to the log's head, puts it into use, and removes the old generation.
    ///
    /// The process MUST hold the log for writing and have no ``ReadModels`` open: nobody else may follow the log meanwhile.
    ///
    /// - Parameter progress: called after each batch with the position, on this thread.
    /// - Throws: ``ReadModelError``, with the old generation still in use.
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

    /// Completes a generation: begins one or goes on with a half-built one, fills it to the head, has it checked, flushes and seals it.
    ///
    /// Nobody has it open when this returns.
    ///
    /// - Parameter known: a generation to bring up to date rather than a new one: the previous one.
    /// - Throws: ``ReadModelError``; a generation that the check refuses is dropped, unless it is a known one.
    @available(*, noasync)
    package func complete<Model: Projection>(
        _ type: Model.Type, under lock: BuildLock, known: Generation? = nil, checking check: ContentCheck, _ observe: Observer
    ) throws(ReadModelError) -> BuiltGeneration {
        let opened = try opened(type, under: lock, known: known)
        let resumedAt = try opened.store.mark().position
        try observe(.opened(generation: opened.generation.text, at: resumedAt))
        let (position, applied) = try fill(type, opened, observe)
        // What was stored, not what was meant to be: read again before anybody relies on it.
        let mark = try opened.store.mark()
        guard mark.position == position else {
            throw ReadModelError(.mismatch, model: Model.name, position: mark.position, "the new generation was filled up to \(position)")
        }
        try observe(.checking(position))
        let verdict = try checked(opened, position, check, dropping: known == nil ? lock : nil)
        // Flushed before it is named, so that a pointer never leads to a generation that a power cut can take away.
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

    /// - Returns: where it stands now, and how many events were applied.
    @available(*, noasync)
    private func fill<Model: Projection>(
        _ type: Model.Type, _ opened: OpenModel, _ observe: Observer
    ) throws(ReadModelError) -> (Position, Int) {
        var updater = try ModelUpdater(try Model(opened.store), in: opened.store, log: log, options: options)
        var head = log.head
        // Beside a server the head moves on; who takes the generation over catches up with the rest.
        repeat {
            while updater.position < head {
                try updater.advance(towards: head)
                try observe(.advanced(updater.position, head: head))
            }
            head = log.head
        } while head.rawValue > updater.position.rawValue + ReadModelLimits.handoverLagEvents
        return (updater.position, updater.applied)
    }

    /// What is wrong is not gone on with.
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
