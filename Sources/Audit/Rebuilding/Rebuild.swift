package import EventLog
internal import LMDB
package import LoyaltyCodec
package import ReadModels
internal import Search

/// Rebuilds read models of a data folder, beside a running server or without one, and puts them into use.
///
/// Per model: a lock against other rebuilds, a new generation filled from the log, its content compared with a replay, flushed, sealed,
/// and handed over to the server, or switched here where none runs. A crash at any moment leaves the old generation in use or the new
/// one, complete; the next call goes on with what is half built.
package struct Rebuild: Sendable {
    /// What to do with each model.
    package enum Task: Sendable, Hashable {
        /// A new generation.
        case build
        /// The previous generation again, brought up to date.
        case rollBack
    }

    /// Told each step of each model on the thread that builds it; what it throws ends that model's rebuild, as a crash would.
    package typealias Observer = @Sendable (_ model: String, _ step: BuildStep) throws(ReadModelError) -> Void

    /// Models built at once: one reads while the other writes, and the machines that this is for have two cores or more.
    package static let modelsAtOnce = 2

    private let data: DataFolder
    private let log: EventLog
    private let options: RebuildOptions

    /// - Parameters:
    ///   - data: the data folder.
    ///   - log: its log, opened for reading, or the server's own.
    package init(_ data: DataFolder, log: EventLog, options: RebuildOptions = .init()) {
        (self.data, self.log, self.options) = (data, log, options)
    }

    /// Works on several models, two at a time. One that fails does not keep the others.
    ///
    /// - Returns: what came of each, in the order given.
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
        let start = ContinuousClock.now
        let folder = ModelFolder(models: data.models, model: Model.name)
        let lock = try BuildLock(folder)
        let known = task == .rollBack ? try Self.previous(type, folder) : nil
        let builder = ModelBuilder(models: data.models, log: log, options: batches(of: type, sharedBy: threads))
        let check = ReplayCheck(log: log, replays: options.checks).check(type)
        let built = try builder.complete(type, under: lock, known: known, checking: check) { (step) throws(ReadModelError) in
            try observe(Model.name, step)
        }
        try observe(Model.name, .offered)
        let offer = HandoverOffer(folder, log: data.log, waitSecondsMax: options.waitSecondsMax)
        let switcher = try offer.make(built.handover(keepsOld: options.keepsOld))
        try observe(Model.name, .switched)
        if known == nil { try lock.finish() }
        return RebuildOutcome(
            model: Model.name, generation: built.generation.text, previous: folder.previous?.text, position: built.mark.position,
            resumedAt: built.resumedAt, applied: built.applied, rows: built.rows, digest: built.digest, switcher: switcher,
            seconds: (ContinuousClock.now - start) / .seconds(1))
    }

    private static func previous<Model: Projection>(
        _ type: Model.Type, _ folder: ModelFolder
    ) throws(ReadModelError) -> Generation {
        guard let previous = folder.previous, folder.generations.contains(previous) else {
            throw ReadModelError(.missing, model: Model.name, "no previous generation was kept, so there is nothing to go back to")
        }
        guard previous.schemaVersion == Model.schemaVersion else {
            throw ReadModelError(
                .missing, model: Model.name,
                "the previous generation \(previous.text) is of another schema version than this program's, \(Model.schemaVersion)")
        }
        return previous
    }

    /// A batch ends with the events or the changes, whichever comes first; what is kept from one to the next counts too.
    ///
    /// Rows of all ages change in every batch, so that each writes most pages of a table once more: the fewer, the better.
    private func batches<Model: Projection>(of type: Model.Type, sharedBy threads: Int) -> UpdateOptions {
        let bytes = max(RebuildOptions.memoryBytesMin, options.memoryBytes) / max(1, threads)
        let changes = max(
            bytes / (Model.bytesPerChange + ReadModelLimits.pageBytesPerChange),
            (bytes - ReadModelLimits.pageBytesMax) / Model.bytesPerChange)
        let most = min(changes, ReadModelLimits.eventsPerBulkBatch)
        return UpdateOptions(eventsPerBatch: ReadModelLimits.eventsPerBulkBatch, changesPerBatch: most, cachedMax: most)
    }

    /// Removes the previous generations, and what is half built.
    ///
    /// - Returns: the generations that are gone.
    /// - Throws: ``ReadModelError/Code/building``, ``ReadModelError/Code/storage``.
    package func forgetOld(of model: String) throws(ReadModelError) -> [String] {
        try BuildLock(ModelFolder(models: data.models, model: model)).forgetOld().map(\.text)
    }

    /// Whether a server holds the folder at this moment.
    package var isServed: Bool {
        do throws(LMDBError) {
            _ = try FileLock(writerOf: data.log)
            return false
        } catch {
            return error.code == .locked
        }
    }

    /// Rebuilds the model of places and words, whose readers keep SQLite's file: only while no server runs.
    ///
    /// - Parameter progress: called after each batch with the position, on this thread.
    /// - Throws: ``ReadModelError/Code/needsStop`` naming the server's process; else as the others do.
    @available(*, noasync)
    package func discovery(progress: (Position) -> Void = { _ in }) throws(ReadModelError) -> RebuildOutcome {
        let lock: FileLock
        do throws(LMDBError) {
            lock = try FileLock(writerOf: data.log)
        } catch {
            guard error.code == .locked else { throw ReadModelError(any: error, model: Discovery.name) }
            throw ReadModelError(.needsStop, model: Discovery.name, "\(error.path) is \(error.text)")
        }
        defer { withExtendedLifetime(lock) {} }
        let built = try DiscoveryBuilder(models: data.models, log: log).build(progress: progress)
        let summary = built.summary
        return RebuildOutcome(
            model: Discovery.name, generation: summary.generation, previous: nil, position: summary.position, resumedAt: .start,
            applied: summary.applied, rows: built.rows, digest: built.digest, switcher: .tool, seconds: summary.seconds)
    }
}
