internal import EventLog
internal import Foundation
internal import LMDB
internal import ReadModels

/// A model built by its own code in a folder that goes with this object: what `apply` makes of the log.
final class ScratchModel<Model: Projection> {
    private let directory: String
    private let log: EventLog
    private let store: ModelStore
    private let tables: [Table]

    /// - Parameters:
    ///   - directory: a new folder.
    ///   - original: what to begin as a copy of; nil begins before the first event.
    init(in directory: String, log: EventLog, copying original: ScratchModel? = nil) throws {
        (self.directory, self.log) = (directory, log)
        if let original { try original.copy(to: directory) }
        let store = try ModelStore.scratch(Model.name, in: directory)
        self.store = store
        tables = try Model.tables.map { try store.table($0) }
    }

    /// The files go now, the memory with the environment.
    deinit {
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Plainly, without a flush: nobody writes meanwhile, and no copy outlives the process.
    private func copy(to other: String) throws {
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: directory + "/data.mdb", toPath: other + "/data.mdb")
    }

    /// The last event applied.
    var position: Position {
        get throws { try store.mark().position }
    }

    /// Applies what follows.
    ///
    /// - Parameters:
    ///   - eventsPerBatch: events in one transaction.
    ///   - step: called before each transaction with the position; what it throws ends it.
    /// - Returns: nil, or why the model's code refuses an event.
    func advance(
        to end: Position, eventsPerBatch: Int = Int(Replay.eventsPerStep), step: (Position) throws -> Void
    ) throws -> ReadModelError? {
        let options = UpdateOptions(eventsPerBatch: eventsPerBatch, cachedMax: ReadModelLimits.cachedCards)
        var updater = try ModelUpdater(try Model(store), in: store, log: log, options: options)
        while updater.position < end {
            try step(updater.position)
            do throws(ReadModelError) { try updater.advance(towards: end) } catch {
                guard error.code == .eventRefused else { throw error }
                return error
            }
        }
        return nil
    }

    /// A row's value; nil where there is none.
    func value(at place: RowPlace) throws -> [UInt8]? {
        let environment = store.environment
        let snapshot = try environment.snapshot()
        let key = place.key
        guard let value = try snapshot.get(tables[place.table], key.span) else { return nil }
        var bytes: [UInt8] = []
        bytes.append(copying: value)
        return bytes
    }

    /// The first row that is not as a replay has it.
    func firstDifference(from replay: Replay, step: () throws -> Void) throws -> RowDifference? {
        let environment = store.environment
        let snapshot = try environment.snapshot()
        return try RowCheck(stored: tables, expected: replay.tables(of: Model.name)).firstDifference(in: snapshot, step: step)
    }
}
