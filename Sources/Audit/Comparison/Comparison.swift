public import EventLog
internal import LMDB
public import Projections
public import ReadModels

/// Compares read models on disk with the state replayed from the log, row by row in key order.
///
/// The comparison changes nothing, and may run beside a server. It compares one snapshot of the model with the log up to the snapshot's
/// position. The snapshot lasts until all rows are compared. During that time, LMDB reuses no pages, so the model's file may grow.
///
/// ## Limitations
/// The comparison covers every byte of every row, and the pages through which LMDB finds the rows. A changed byte in a free page, or in the
/// unused rest of a page, affects no reader. Such a byte is reported only if the file has a checksum (`FileSeal`), which is written when a
/// model is closed and removed when it is opened for writing. LMDB itself has no checksums, so a changed byte in the header of a page may
/// make LMDB end the process. A tool should therefore run the comparison in a separate process.
public struct Comparison: Sendable {
    private let source: ModelSource
    private let log: EventLog

    /// - Parameters:
    ///   - models: the folder of all models, `DATA/derived/models`; no model in it may be open in this process.
    ///   - log: the log, opened for reading only, or the log that a server in this process has open.
    public init(models: String, log: EventLog) {
        (source, self.log) = (.folders(models), log)
    }

    /// Creates a comparison of models that are open in this process and may apply further events meanwhile.
    public init(live models: ReadModels, log: EventLog) {
        (source, self.log) = (.live(models), log)
    }

    private static let brokenSeal = """
        every row is right, but the file is not the one that was closed: a byte changed in a part that no row stands in; \
        rebuild the model, and have the disk checked
        """

    /// Compares one model's stored rows with the rows that a replay of the log gives.
    ///
    /// - Parameter progress: called from time to time with the position of the replay, on this thread.
    /// - Throws: ``AuditError`` if the comparison failed, for example because the model does not exist or the log cannot be read.
    public func verdict<Model: Projection>(
        of model: Model.Type, progress: (Position) -> Void = { _ in }
    ) throws(AuditError) -> ModelVerdict {
        try verdict(of: model) { (position: Position) throws(AuditError) in progress(position) }
    }

    /// Compares one model. An error that `step` throws ends the comparison.
    func verdict<Model: Projection>(
        of model: Model.Type, step: (Position) throws(AuditError) -> Void
    ) throws(AuditError) -> ModelVerdict {
        var position: Position?
        do {
            // Most of the log is folded before the snapshot begins, because the model's file may grow during a long snapshot. Until the
            // snapshot begins, this comparison has no reference to the model's store, so that a switch to another generation need not wait
            // for it.
            let start = try source.open(model).store.mark()
            position = start.position
            guard try ModelMark(start.position, in: log) == start else { return .different(foreign(Model.name, start.position)) }
            var replay = try Replay(ofModel: Model.name, in: log)
            try replay.walk(to: start.position, step: step)
            while true {
                if let verdict = try verdict(of: model, beside: &replay, &position, step: step) { return verdict }
            }
        } catch {
            if let difference = damage(error, Model.name, position) { return .different(difference) }
            throw AuditError(any: error)
        }
    }

    /// Compares the rows of the model's generation that is in use now with the replay.
    ///
    /// - Parameter replay: the state after the events that were folded so far.
    /// - Returns: nil if another generation was put into use meanwhile. Then this function releases the generation that it was comparing
    ///   before it returns.
    private func verdict<Model: Projection>(
        of model: Model.Type, beside replay: inout Replay, _ position: inout Position?, step: (Position) throws(AuditError) -> Void
    ) throws -> ModelVerdict? {
        let (store, tables) = try source.open(model)
        let environment = store.environment
        let snapshot = try environment.snapshot()
        let mark = try store.mark(in: snapshot)
        position = mark.position
        guard try ModelMark(mark.position, in: log) == mark else { return .different(foreign(Model.name, mark.position)) }
        // A replay cannot go back, so if it is already past the generation's position, a new replay begins at the first event. This happens
        // if the model's folder was replaced. It also happens if another generation was put into use: a model that no recent event concerns
        // does not store its position at once, so the other generation may have an earlier position.
        if replay.position > mark.position { replay = try Replay(ofModel: Model.name, in: log) }
        let source = source
        func go(_ position: Position) throws(AuditError) {
            try step(position)
            if !source.isInUse(store) { throw Self.replaced }
        }
        do {
            try replay.walk(to: mark.position) { (position) throws(AuditError) in try go(position) }
            let check = RowCheck(stored: tables, expected: replay.tables(of: Model.name))
            if let row = try check.firstDifference(in: snapshot, step: { try go(mark.position) }) {
                return .different(row.difference(of: model, at: mark.position))
            }
            guard FileSeal(in: store.directory).holds else {
                return .different(.damaged(model: Model.name, position: mark.position, Self.brokenSeal))
            }
            return .equal(position: mark.position, rows: check.rows)
        } catch let error as AuditError {
            if error.code == .replaced { return nil }
            throw error
        }
    }

    private static let replaced = AuditError(.replaced, "another generation came into use.", remedy: "Compare that one.")

    private func foreign(_ model: String, _ position: Position) -> ModelDifference {
        ModelDifference(
            .foreignPosition, model: model, position: position,
            detail: "the log does not hold the event that the model stands at; its head is \(log.head)")
    }

    /// Returns a difference if an error of the storage layer reports damage; nil for any other error, which makes the comparison fail.
    private func damage(_ error: any Error, _ model: String, _ position: Position?) -> ModelDifference? {
        switch error {
        case let error as ReadModelError where error.code == .damaged: .damaged(model: model, position: position, error.detail)
        case let error as LMDBError where error.code == .damaged || error.code == .foreign:
            .damaged(model: model, position: position, "\(error)")
        default: nil
        }
    }
}

/// The result of comparing one read model with the log.
public enum ModelVerdict: Hashable, Sendable {
    /// Every stored row has its expected content at the model's position.
    case equal(position: Position, rows: Int)
    case different(ModelDifference)
}

/// The place from which a comparison reads a model's stored rows.
enum ModelSource: Sendable {
    /// The model's folder in `DATA/derived/models`, where another process may write.
    case folders(String)
    /// The models that are open in this process.
    case live(ReadModels)

    /// Opens a model and its tables, in the order of the projection's tables. LMDB requires that tables are opened before a snapshot
    /// begins.
    func open<Model: Projection>(_ model: Model.Type) throws(ReadModelError) -> (store: ModelStore, tables: [Table]) {
        switch self {
        case .folders(let models):
            let stored = try StoredModel.open(model, in: models)
            return (stored.store, stored.tables)
        case .live(let models):
            guard let store = models.store(of: Model.name) else {
                throw ReadModelError(.missing, model: Model.name, "no such model is open here")
            }
            return (store, try Model.tables.map { (table) throws(ReadModelError) in try store.table(table) })
        }
    }

    /// Whether an opened store still is the generation in use. For models in a folder the result is always true, because a process that
    /// switches to another generation does not wait until readers in other processes close the old one.
    func isInUse(_ store: ModelStore) -> Bool {
        switch self {
        case .folders: true
        case .live(let models): models.store(of: store.model) === store
        }
    }
}
