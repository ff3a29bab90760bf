package import EventLog
internal import LMDB
package import LoyaltyCodec
package import Projections
internal import ReadModels
internal import Search

/// Rebuilds read models, with or without a running server, and puts them into use.
///
/// Each new generation is filled from the log, compared with a replay, flushed and sealed with a checksum. A running server then switches
/// to it, or this process does. After a crash, the old or the complete new generation is in use, and the next call resumes.
package struct Rebuild: Sendable {
    /// The work to do for a model.
    package enum Task: Sendable, Hashable {
        case build
        /// Update the previous generation, and put it into use again.
        case rollBack
    }

    /// If it throws, the rebuild ends as after a crash.
    package typealias Observer = @Sendable (_ model: String, _ step: BuildStep) throws(ReadModelError) -> Void

    /// One build can read while the other one writes.
    package static let modelsAtOnce = 2

    /// An offer is repeated only after a process opened the generation, such as a server that ended during the hand-over.
    static let offersMax = 5

    private let data: DataFolder
    private let log: EventLog
    private let options: RebuildOptions

    package init(_ data: DataFolder, log: EventLog, options: RebuildOptions = .init()) {
        (self.data, self.log, self.options) = (data, log, options)
    }

    /// Two at a time; a failure does not stop the others.
    @available(*, noasync)
    package func all(
        _ task: Task, of types: [any Projection.Type], _ observe: @escaping Observer = { _, _ in }
    ) -> [Result<RebuildOutcome, ReadModelError>] {
        let threads = min(Self.modelsAtOnce, types.count)
        return WorkQueue.outcomes(of: types.count, on: threads, named: "rebuild") { index in
            Result { () throws(ReadModelError) in try one(task, types[index], sharedBy: threads, observe) }
        }
    }

    @available(*, noasync)
    private func one<Model: Projection>(
        _ task: Task, _ type: Model.Type, sharedBy threads: Int, _ observe: Observer
    ) throws(ReadModelError) -> RebuildOutcome {
        let builder = ModelBuilder(models: data.models, log: log, options: batches(of: type, sharedBy: threads))
        let check = ReplayCheck(log: log, replays: options.checks).check(type)
        let folder = ModelFolder(models: data.models, model: Model.name)
        return try run(task, folder, Model.schemaVersion, observe) { (lock, known, step) throws(ReadModelError) in
            try builder.complete(type, under: lock, known: known, checking: check, step)
        }
    }

    /// - Throws: ``ReadModelError``. The old generation is then still in use, unless the error came after the switch.
    @available(*, noasync)
    package func discovery(_ task: Task = .build, _ observe: Observer = { _, _ in }) throws(ReadModelError) -> RebuildOutcome {
        let builder = DiscoveryBuilder(log: log)
        let check = ReplayCheck(log: log, replays: options.checks)
        let folder = Discovery.folder(in: data.models)
        return try run(task, folder, Discovery.schemaVersion, observe) { (lock, known, step) throws(ReadModelError) in
            try builder.complete(under: lock, known: known, checking: check.check, step)
        }
    }

    /// `known` is nil for a new generation.
    private typealias Complete = (
        _ lock: BuildLock, _ known: Generation?, _ step: (BuildStep) throws(ReadModelError) -> Void
    ) throws(ReadModelError) -> BuiltGeneration

    @available(*, noasync)
    private func run(
        _ task: Task, _ folder: ModelFolder, _ version: Int, _ observe: Observer, _ complete: @escaping Complete
    ) throws(ReadModelError) -> RebuildOutcome {
        let start = ContinuousClock.now
        let lock = try BuildLock(folder)
        let known = task == .rollBack ? try Self.previous(in: folder, version) : nil
        let (built, first, switcher) = try putIntoUse(lock, observe) { (step) throws(ReadModelError) in
            try complete(lock, known, step)
        }
        try observe(folder.model, .switched)
        if known == nil { try lock.finish() }
        let named = [folder.current, folder.previous, folder.halfBuilt]
        let left = folder.generations.filter { !named.contains($0) }.map(\.text)
        return RebuildOutcome(
            model: folder.model, generation: built.generation.text, previous: folder.previous?.text, left: left,
            position: built.mark.position, resumedAt: first.resumedAt, applied: first.applied, rows: built.rows, digest: built.digest,
            switcher: switcher, seconds: (ContinuousClock.now - start) / .seconds(1))
    }

    /// Completes a generation, and puts it into use through the server or in this process.
    ///
    /// A server that ends after it has opened the generation invalidates the checksum. The generation is then completed, checked and sealed
    /// again, and offered to the next server.
    ///
    /// - Returns: the generation in use; the generation after the first completion, with the events read; and the process that switched.
    @available(*, noasync)
    private func putIntoUse(
        _ lock: BuildLock, _ observe: Observer,
        _ complete: @escaping ((BuildStep) throws(ReadModelError) -> Void) throws(ReadModelError) -> BuiltGeneration
    ) throws(ReadModelError) -> (built: BuiltGeneration, first: BuiltGeneration, HandoverOffer.Switcher) {
        let model = lock.folder.model
        let offer = HandoverOffer(lock.folder, log: data.log, waitSecondsMax: options.waitSecondsMax)
        var (first, offers) = (BuiltGeneration?.none, 0)
        while true {
            let built = try complete { (step) throws(ReadModelError) in try observe(model, step) }
            try observe(model, .offered)
            offers += 1
            do throws(ReadModelError) {
                return (built, first ?? built, try offer.make(built.handover(keepsOld: options.keepsOld)))
            } catch {
                guard error.code == .refused, offer.wasOpened(built.generation), offers < Self.offersMax else { throw error }
            }
            first = first ?? built
        }
    }

    private static func previous(in folder: ModelFolder, _ version: Int) throws(ReadModelError) -> Generation {
        guard let previous = folder.previous, folder.generations.contains(previous) else {
            throw ReadModelError(.missing, model: folder.model, "no previous generation was kept, so there is nothing to go back to")
        }
        guard previous.schemaVersion == version else {
            throw ReadModelError(
                .missing, model: folder.model,
                "the previous generation \(previous.text) is of another schema version than this program's, \(version)")
        }
        return previous
    }

    /// A batch's changes are spread over the whole table and rewrite most of its pages, so few large batches are better.
    private func batches<Model: Projection>(of type: Model.Type, sharedBy threads: Int) -> UpdateOptions {
        let bytes = max(RebuildOptions.memoryBytesMin, options.memoryBytes) / max(1, threads)
        let changes = max(
            bytes / (Model.bytesPerChange + ProjectionLimits.pageBytesPerChange),
            (bytes - ProjectionLimits.pageBytesMax) / Model.bytesPerChange)
        let most = min(changes, ProjectionLimits.eventsPerBulkBatch)
        return UpdateOptions(eventsPerBatch: ProjectionLimits.eventsPerBulkBatch, changesPerBatch: most, cachedMax: most)
    }

    /// Returns their names.
    package func forgetOld(of model: String) throws(ReadModelError) -> [String] {
        try BuildLock(ModelFolder(models: data.models, model: model)).forgetOld().map(\.text)
    }

    /// Whether a server has the log open at this moment.
    package static func isServed(_ data: DataFolder) -> Bool { FileLock.isHeld(writerOf: data.log) ?? false }
}
