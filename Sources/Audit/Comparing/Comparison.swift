public import EventLog
internal import LMDB
public import ReadModels

/// Compares read models on disk with the state replayed from the log, row by row in key order.
///
/// It only reads, and may run beside a server: a model is compared as of one moment, with the log up to the position that the
/// model had reached by then. One snapshot of the model is kept meanwhile, so its file may grow.
///
/// ## Limitations
/// What is compared is every byte of every row, and the structure through which the rows are found. A byte changed in a part of
/// the file that holds neither (free pages, the unused rest of a page) changes nothing that anybody can read; it is reported
/// only while no server has the model open and its seal is whole (`FileSeal`). LMDB has no checksums; a byte changed in its
/// structure may make it end the process, so a tool should run this in a process of its own.
public struct Comparison {
    /// `DATA/derived/models`.
    private let models: String
    private let log: EventLog

    /// - Parameters:
    ///   - models: the folder of all models, `DATA/derived/models`.
    ///   - log: opened for reading only, or the server's own.
    public init(models: String, log: EventLog) {
        (self.models, self.log) = (models, log)
    }

    private static let brokenSeal = """
        every row is right, but the file is not the one that was closed: a byte changed in a part that no row stands in; \
        rebuild the model, and have the disk checked
        """

    /// Compares one model.
    ///
    /// - Parameter progress: called now and then with the position of the replay, on this thread.
    /// - Throws: ``AuditError``, where nothing could be compared: no such model, an unreadable log.
    public func verdict<Model: Projection>(
        of model: Model.Type, progress: (Position) -> Void = { _ in }
    ) throws(AuditError) -> ModelVerdict {
        var position: Position?
        do {
            let stored = try StoredModel.open(model, in: models)
            let environment = stored.store.environment
            let snapshot = try environment.snapshot()
            let mark = try stored.store.mark(in: snapshot)
            position = mark.position
            guard try ModelMark(mark.position, in: log) == mark else {
                return .different(foreign(Model.name, mark.position))
            }
            let replay = try Replay(of: log, until: .position(mark.position), models: [Model.name], progress: progress)
            let verdict = try verdict(of: model, stored.tables, in: snapshot, mark.position, against: replay)
            guard case .equal = verdict, !FileSeal(in: stored.store.directory).holds else { return verdict }
            return .different(.damaged(model: Model.name, position: mark.position, Self.brokenSeal))
        } catch {
            if let difference = damage(error, Model.name, position) { return .different(difference) }
            throw AuditError(any: error)
        }
    }

    private func verdict<Model: Projection>(
        of model: Model.Type, _ tables: [Table], in snapshot: borrowing Snapshot, _ position: Position, against replay: Replay
    ) throws -> ModelVerdict {
        var rows = 0
        for (index, canonical) in replay.tables(of: Model.name).enumerated() {
            let check = TableCheck(model: Model.name, position: position, table: Model.tables[index], canonical: canonical)
            let cursor = try snapshot.cursor(tables[index])
            if let difference = try check.firstDifference(cursor) { return .different(difference) }
            rows += canonical.count
        }
        return .equal(position: position, rows: rows)
    }

    private func foreign(_ model: String, _ position: Position) -> ModelDifference {
        ModelDifference(
            .foreignPosition, model: model, position: position,
            detail: "the log does not hold the event that the model stands at; its head is \(log.head)")
    }

    /// What the storage layer says about damage is a finding; all else is a failure to look.
    private func damage(_ error: any Error, _ model: String, _ position: Position?) -> ModelDifference? {
        switch error {
        case let error as ReadModelError where error.code == .damaged: .damaged(model: model, position: position, error.detail)
        case let error as LMDBError where error.code == .damaged || error.code == .foreign:
            .damaged(model: model, position: position, "\(error)")
        default: nil
        }
    }
}
