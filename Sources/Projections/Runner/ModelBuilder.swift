public import EventLog

/// Builds a model again beside the one in use.
///
/// A builder reads the log and writes into a generation that no pointer names, so it may run beside a server, in a process of its own.
/// ``BuildLock`` lets one builder of a model run at a time. A crash leaves the old generation in use and a half-built one, which the next
/// builder continues. After the switch it leaves the new generation in use, complete and flushed.
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
    /// The process MUST hold the log for writing and have no ``ReadModels`` open, so that no other thread follows the log meanwhile.
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

    /// Completes a generation: begins one or continues a half-built one, fills it to the head, has it checked, flushes and seals it.
    ///
    /// The generation is closed when this returns.
    ///
    /// - Parameter known: the previous generation, if it is to be brought up to date instead.
    /// - Throws: ``ReadModelError``; a generation that the check refuses is dropped, unless it is a known one.
    @available(*, noasync)
    package func complete<Model: Projection>(
        _ type: Model.Type, under lock: BuildLock, known: Generation? = nil, checking check: ContentCheck, _ observe: Observer
    ) throws(ReadModelError) -> BuiltGeneration {
        let opened = try opened(type, under: lock, known: known)
        let resumedAt = try opened.store.mark().position
        try observe(.opened(generation: opened.generation.text, at: resumedAt))
        let (position, applied) = try fill(type, opened, observe)
        // The stored mark is read again before anything relies on it.
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

    /// - Returns: the position that was reached, and how many events were applied.
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
        } while head.rawValue > updater.position.rawValue + ProjectionLimits.handoverLagEvents
        return (updater.position, updater.applied)
    }

    /// Drops a generation that the check refuses, so that no later build continues with it.
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

/// The last step of a rebuild, for progress, and for tests that end it there.
public enum BuildStep: Sendable, Hashable {
    /// A generation is open, empty or with what an earlier attempt got done.
    case opened(generation: String, at: Position)
    /// A batch is stored; the log's head at that moment.
    case advanced(Position, head: Position)
    /// The content is about to be compared with a replay.
    case checking(Position)
    /// Checked, flushed and sealed.
    case closed(Position)
    /// The server was asked, or is about to be replaced by the tool itself where none runs.
    case offered
    /// The new generation is in use.
    case switched
}

/// The result of a rebuild.
public struct BuildSummary: Sendable {
    /// The model's name.
    public let model: String
    /// The folder now in use: `v1-g4`.
    public let generation: String
    /// The model's position, which is also the number of events that were read.
    public let position: Position
    /// Events that the model reads, of those.
    public let applied: Int
    /// Wall-clock time, the flush included.
    public let seconds: Double

    package init(model: String, generation: String, position: Position, applied: Int, seconds: Double) {
        (self.model, self.generation, self.position) = (model, generation, position)
        (self.applied, self.seconds) = (applied, seconds)
    }

    /// Events looked at in a second.
    public var rate: Double { seconds > 0 ? Double(position.rawValue) / seconds : 0 }
}

/// Compares a complete generation with its expected content before it is used. This layer knows no replay, so the caller provides the
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

    /// - Throws: ``ReadModelError/Code/mismatch``; the generation is dropped then.
    package let verdict: @Sendable (ModelStore, Position) throws(ReadModelError) -> Verdict

    package init(_ verdict: @escaping @Sendable (ModelStore, Position) throws(ReadModelError) -> Verdict) {
        self.verdict = verdict
    }

    /// Nothing but what ``ModelBuilder`` itself looks at.
    package static let none = ContentCheck { _, _ in Verdict(digest: "", rows: 0) }
}

/// A generation that is complete, flushed and sealed, and not in use yet.
package struct BuiltGeneration: Sendable {
    package let generation: Generation
    package let mark: ModelMark
    /// The digest from the check; empty if nothing was checked.
    package let digest: String
    let seal: String
    /// The position that an earlier attempt had reached.
    package let resumedAt: Position
    /// Events that the model reads, of those looked at this time.
    package let applied: Int
    /// Rows in all its tables.
    package let rows: Int

    /// - Parameter seal: its ``FileSeal``'s text.
    package init(
        _ generation: Generation, at mark: ModelMark, digest: String, seal: String, rows: Int, applied: Int, resumedAt: Position
    ) {
        (self.generation, self.mark, self.digest, self.seal) = (generation, mark, digest, seal)
        (self.rows, self.applied, self.resumedAt) = (rows, applied, resumedAt)
    }

    /// The request to the server.
    package func handover(keepsOld: Bool) -> Handover {
        Handover(generation, at: mark, digest: digest, seal: seal, keepsOld: keepsOld)
    }
}
