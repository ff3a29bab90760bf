package import EventLog
internal import LMDB
package import LoyaltyCodec
package import Projections
internal import ReadModels
internal import Search

/// Rebuilds read models of a data folder, while a server runs or without one, and puts them into use.
///
/// For each model, the rebuild locks out other rebuilds, fills a new generation from the log, and compares the generation's content with a
/// replay. It flushes the generation to the disk, and writes the generation's checksum. Then a running server puts the generation into use;
/// if no server runs, this process does. After a crash at any moment, either the old generation is in use, or the complete new generation.
/// After an interruption, the next call continues the incomplete generation.
package struct Rebuild: Sendable {
    /// The work to do for a model.
    package enum Task: Sendable, Hashable {
        /// Build a new generation.
        case build
        /// Apply the newest events to the previous generation, and put it into use again.
        case rollBack
    }

    /// A closure that receives each step of each model's rebuild, on the thread that builds the model. If it throws, the rebuild of that
    /// model ends as it would after a crash.
    package typealias Observer = @Sendable (_ model: String, _ step: BuildStep) throws(ReadModelError) -> Void

    /// The number of models that are built at the same time. One build can read while the other one writes, and the intended machines have
    /// at least two cores.
    package static let modelsAtOnce = 2

    /// The maximum number of times that one generation is offered to a server. An offer is repeated only if it was refused after a process
    /// had opened the generation, such as a server that ended during the hand-over. After five such offers, another one would not succeed
    /// either.
    static let offersMax = 5

    private let data: DataFolder
    private let log: EventLog
    private let options: RebuildOptions

    /// - Parameters:
    ///   - data: the data folder.
    ///   - log: the folder's log, opened for reading only, or the log that a server in this process has open.
    package init(_ data: DataFolder, log: EventLog, options: RebuildOptions = .init()) {
        (self.data, self.log, self.options) = (data, log, options)
    }

    /// Rebuilds several models, two at a time. If one rebuild fails, the others continue.
    ///
    /// - Returns: the outcome for each model, in the given order.
    @available(*, noasync)
    package func all(
        _ task: Task, of types: [any Projection.Type], _ observe: @escaping Observer = { _, _ in }
    ) -> [Result<RebuildOutcome, ReadModelError>] {
        let threads = min(Self.modelsAtOnce, types.count)
        return WorkQueue.outcomes(of: types.count, on: threads, named: "rebuild") { index in
            result(task, types[index], sharedBy: threads, observe)
        }
    }

    @available(*, noasync)
    private func result(
        _ task: Task, _ type: any Projection.Type, sharedBy threads: Int, _ observe: Observer
    ) -> Result<RebuildOutcome, ReadModelError> {
        do throws(ReadModelError) {
            return .success(try one(task, type, sharedBy: threads, observe))
        } catch {
            return .failure(error)
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

    /// Rebuilds the search database, or returns to its previous generation.
    ///
    /// - Parameter observe: receives each step, on this thread.
    /// - Throws: ``ReadModelError``. The old generation is then still in use, unless the error came after the switch.
    @available(*, noasync)
    package func discovery(_ task: Task = .build, _ observe: Observer = { _, _ in }) throws(ReadModelError) -> RebuildOutcome {
        let builder = DiscoveryBuilder(log: log)
        let check = ReplayCheck(log: log, replays: options.checks)
        let folder = Discovery.folder(in: data.models)
        return try run(task, folder, Discovery.schemaVersion, observe) { (lock, known, step) throws(ReadModelError) in
            try builder.complete(
                under: lock, known: known, checking: { (content) throws(ReadModelError) in try check.check(content) }, step)
        }
    }

    /// A closure that completes a generation under the lock, and calls `step` at each step. `known` is the generation to complete; nil for
    /// a new one.
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

    /// Completes a generation, and puts it into use through the server, or in this process if no server runs. If a server ends after it has
    /// opened the generation, the generation's checksum is no longer valid. In that case, the generation is completed and checked again,
    /// receives a new checksum, and is offered to the next server.
    ///
    /// - Returns: the generation in use; the generation as it was after the first completion, with the number of events that were read; and
    ///   the process that put it into use.
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

    /// The limits of a batch of events. A batch ends when it reaches the maximum number of events or of changed rows, whichever comes
    /// first. The limit of changes is also the maximum number of entries that are kept in memory between batches.
    ///
    /// The rows that a batch changes are spread over the whole table, so each batch writes most of the table's pages again. Therefore few
    /// large batches are better than many small ones.
    private func batches<Model: Projection>(of type: Model.Type, sharedBy threads: Int) -> UpdateOptions {
        let bytes = max(RebuildOptions.memoryBytesMin, options.memoryBytes) / max(1, threads)
        let changes = max(
            bytes / (Model.bytesPerChange + ProjectionLimits.pageBytesPerChange),
            (bytes - ProjectionLimits.pageBytesMax) / Model.bytesPerChange)
        let most = min(changes, ProjectionLimits.eventsPerBulkBatch)
        return UpdateOptions(eventsPerBatch: ProjectionLimits.eventsPerBulkBatch, changesPerBatch: most, cachedMax: most)
    }

    /// Removes a model's previous generation and its incomplete generation.
    ///
    /// - Returns: the removed generations.
    /// - Throws: ``ReadModelError/Code/building``, ``ReadModelError/Code/storage``.
    package func forgetOld(of model: String) throws(ReadModelError) -> [String] {
        try BuildLock(ModelFolder(models: data.models, model: model)).forgetOld().map(\.text)
    }

    /// Whether a server has the data folder's log open at this moment.
    package static func isServed(_ data: DataFolder) -> Bool {
        FileLock.isHeld(writerOf: data.log) ?? false
    }
}
