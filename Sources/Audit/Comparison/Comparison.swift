public import EventLog
internal import LMDB
public import Projections
public import ReadModels

/// Compares read models on disk with the state replayed from the log, row by row in key order, beside a running server.
///
/// LMDB reuses no pages during its snapshot, so the model's file may grow.
///
/// ## Limitations
/// Changed bytes in free pages or unused space are reported only if the closed model's file has a checksum (`FileSeal`). LMDB has none, so
/// a damaged page header may end the process: a tool should compare in a process of its own.
public struct Comparison: Sendable {
    private let source: ModelSource
    private let log: EventLog

    /// - Parameter models: `DATA/derived/models`; no model in it may be open in this process.
    public init(models: String, log: EventLog) { (source, self.log) = (.folders(models), log) }

    /// For models that are open in this process and may apply further events meanwhile.
    public init(live models: ReadModels, log: EventLog) { (source, self.log) = (.live(models), log) }

    private static let brokenSeal = """
        every row is right, but the file is not the one that was closed: a byte changed in a part that no row stands in; \
        rebuild the model, and have the disk checked
        """

    /// Compares one model's stored rows with the rows that a replay of the log gives.
    ///
    /// - Parameter step: called with the position that the comparison has reached; an error that it throws ends the comparison.
    /// - Throws: ``AuditError`` if the comparison failed, for example because the model does not exist or the log cannot be read.
    public func verdict<Model: Projection>(
        of model: Model.Type, step: (Position) throws(AuditError) -> Void = { _ in }
    ) throws(AuditError) -> ModelVerdict {
        var position: Position?
        do {
            // Most of the log is folded before the snapshot begins, because the model's file grows during a snapshot. Until then, no
            // reference to the store is held, so that a switch of generations need not wait.
            let start = try source.open(model).store.mark()
            position = start.position
            guard try ModelMark(start.position, in: log) == start else {
                return .different(.foreign(model: Model.name, position: start.position, in: log))
            }
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

    /// Returns nil, with the generation released, if another one was put into use meanwhile.
    private func verdict<Model: Projection>(
        of model: Model.Type, beside replay: inout Replay, _ position: inout Position?, step: (Position) throws(AuditError) -> Void
    ) throws -> ModelVerdict? {
        let (store, tables) = try source.open(model)
        let environment = store.environment
        let snapshot = try environment.snapshot()
        let mark = try store.mark(in: snapshot)
        position = mark.position
        guard try ModelMark(mark.position, in: log) == mark else {
            return .different(.foreign(model: Model.name, position: mark.position, in: log))
        }
        // A replay cannot go back. The generation's position may be earlier, because the folder was replaced, or because a model stores its
        // position late when no event concerns it.
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

    /// Nil for an error that reports no damage, which fails the comparison.
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
    case equal(position: Position, rows: Int)
    case different(ModelDifference)
}

/// The place from which a comparison reads a model's stored rows.
enum ModelSource: Sendable {
    case folders(String)
    case live(ReadModels)

    /// LMDB requires that tables are opened before a snapshot begins.
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

    /// Always true for models in a folder, because a switch does not wait for readers in other processes.
    func isInUse(_ store: ModelStore) -> Bool {
        switch self {
        case .folders: true
        case .live(let models): models.store(of: store.model) === store
        }
    }
}
