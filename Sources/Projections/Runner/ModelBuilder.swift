public import EventLog

/// Rebuilds a model while the current generation stays in use, also beside a running server. After a crash, the next builder continues the
/// incomplete generation.
public struct ModelBuilder: Sendable {
    package typealias Observer = (BuildStep) throws(ReadModelError) -> Void

    private let models: String
    private let log: EventLog
    private let options: UpdateOptions

    public init(models: String, log: EventLog) { self.init(models: models, log: log, options: .building) }

    package init(models: String, log: EventLog, options: UpdateOptions) { (self.models, self.log, self.options) = (models, log, options) }

    /// Builds one model up to the log's head, puts it into use, and removes the old generation.
    ///
    /// The process MUST have the log open for writing and have no ``ReadModels`` open.
    ///
    /// - Throws: ``ReadModelError``; the old generation is still in use, unless the error came after the switch.
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

    /// Completes a generation, see ``OpenGeneration/complete(version:of:under:known:following:checking:_:)``.
    @available(*, noasync)
    package func complete<Model: Projection>(
        _ type: Model.Type, under lock: BuildLock, known: Generation? = nil, checking check: ContentCheck, _ observe: Observer
    ) throws(ReadModelError) -> BuiltGeneration {
        try OpenModel.complete(
            version: Model.schemaVersion, of: log, under: lock, known: known,
            following: { (opened) throws(ReadModelError) in
                try ModelUpdater(try Model(opened.store), in: opened.store, log: log, options: options)
            },
            checking: { (opened, position) throws(ReadModelError) in try check.verdict(opened.store, position) }, observe)
    }
}

/// The step that a rebuild has reached, for progress and for tests that end it there.
public enum BuildStep: Sendable, Hashable {
    case opened(generation: String, at: Position)
    case advanced(Position, head: Position)
    case checking(Position)
    case closed(Position)
    case offered
    case switched
}

/// The result of a rebuild.
public struct BuildSummary: Sendable {
    public let model: String
    public let generation: String
    public let position: Position
    public let applied: Int
    public let seconds: Double

    public var rate: Double { seconds > 0 ? Double(position.rawValue) / seconds : 0 }
}

/// The comparison of a complete generation with its expected content. The caller provides it, because this layer has no replay.
package struct ContentCheck: Sendable {
    /// The digest of checked content, and the number of rows.
    package struct Verdict: Sendable {
        package let digest: String
        package let rows: Int

        package init(digest: String, rows: Int) { (self.digest, self.rows) = (digest, rows) }
    }

    package let verdict: @Sendable (ModelStore, Position) throws(ReadModelError) -> Verdict

    package init(_ verdict: @escaping @Sendable (ModelStore, Position) throws(ReadModelError) -> Verdict) { self.verdict = verdict }

    package static let none = ContentCheck { _, _ in Verdict(digest: "", rows: 0) }
}

/// A complete, flushed and sealed generation that is not in use yet.
package struct BuiltGeneration: Sendable {
    package let generation: Generation
    package let mark: ModelMark
    package let digest: String
    let seal: String
    package let resumedAt: Position
    package let applied: Int
    package let rows: Int

    package init(_ generation: Generation, at mark: ModelMark, digest: String, seal: String, rows: Int, applied: Int, resumedAt: Position) {
        (self.generation, self.mark, self.digest, self.seal) = (generation, mark, digest, seal)
        (self.rows, self.applied, self.resumedAt) = (rows, applied, resumedAt)
    }

    /// The request to put this generation into use.
    package func handover(keepsOld: Bool) -> Handover {
        Handover(generation, at: mark, digest: digest, seal: seal, keepsOld: keepsOld)
    }
}
