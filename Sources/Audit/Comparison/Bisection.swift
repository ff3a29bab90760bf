public import EventLog
internal import LMDB
internal import Loyalty
internal import LoyaltyCodec
public import Projections
internal import ReadModels
internal import Search

/// Finds the event at which a read model's difference from the log began, and its cause.
///
/// The search applies the log to a new model and to a replay, a second implementation, range by range. If they differ at the end of a
/// range, it halves the range until one event is left. If they never differ, the code is right, the stored rows are wrong, and the search
/// finds the last event that changed the wrong row.
///
/// ## Limitations
/// A difference that appears and disappears within one range is not seen. The search needs twice the memory of the replayed model, and
/// twice the disk space of the model's files in `DATA/derived/audit`. For the search database, which has no second implementation, only
/// wrong rows are found.
public struct Bisection: Sendable {
    private static let stretches: UInt64 = 16
    /// Only the last range may have fewer events.
    private static let eventsMin: UInt64 = 1_024
    /// Each event of so small a range is applied in its own transaction.
    private static let eventsPerLookMax: UInt64 = 8_192

    private let models: String
    private let scratch: String
    private let log: EventLog
    /// Nil divides the log into about ``stretches`` ranges.
    private let stretch: UInt64?

    /// The search empties `scratch` first and removes it afterwards.
    public init(models: String, scratch: String, log: EventLog) {
        self.init(models: models, scratch: scratch, log: log, stretch: nil)
    }

    /// Removes the folders of killed tools.
    public init(_ folder: AuditedFolder, log: EventLog) {
        self.init(models: folder.models, scratch: ScratchFolder.ofThisProcess(in: folder.scratch), log: log)
    }

    init(models: String, scratch: String, log: EventLog, stretch: UInt64?) {
        (self.models, self.scratch, self.log, self.stretch) = (models, scratch, log, stretch)
    }

    /// - Parameter step: called with the position that the search has reached, which may also decrease; an error that it throws ends the
    ///   search.
    public func diagnosis<Model: Projection>(
        of difference: ModelDifference, in model: Model.Type, step: (Position) throws(AuditError) -> Void = { _ in }
    ) throws(AuditError) -> Diagnosis {
        if let damaged = try damagedLog(through: difference.position ?? .max, of: Model.name, step) { return damaged }
        guard let end = difference.position, difference.kind != .foreignPosition else { return unread(difference) }
        let folder = try ScratchFolder(scratch)
        do {
            if let parting = try parting(of: model, through: end, in: folder, step) { return parting }
            guard let row = difference.row else { return unread(difference) }
            let touched = try lastChange(of: row, in: model, through: end, folder, step)
            return Diagnosis(
                .rows, model: Model.name, at: try touched.map { try FoundEvent($0, in: log) },
                row: Diagnosis.Row(difference, unknown: ""), detail: difference.detail)
        } catch { throw AuditError(any: error) }
    }

    public func diagnosis(
        ofDiscovery difference: ModelDifference, step: (Position) throws(AuditError) -> Void = { _ in }
    ) throws(AuditError) -> Diagnosis {
        if let damaged = try damagedLog(through: difference.position ?? .max, of: Discovery.name, step) { return damaged }
        guard let end = difference.position, let table = difference.table, let key = difference.key else { return unread(difference) }
        do {
            let touched = try lastChange(ofDiscovered: key, in: table, through: end, step)
            return Diagnosis(
                .rows, model: Discovery.name, at: try touched.map { try FoundEvent($0, in: log) },
                row: Diagnosis.Row(difference, unknown: "nothing"))
        } catch { throw AuditError(any: error) }
    }

    /// The diagnosis for an unreadable or foreign model.
    private func unread(_ difference: ModelDifference) -> Diagnosis {
        Diagnosis(.rows, model: difference.model, detail: difference.detail)
    }

    /// First, because a changed record that still decodes looks like an error of the code.
    private func damagedLog(
        through end: Position, of model: String, _ step: (Position) throws(AuditError) -> Void
    ) throws(AuditError) -> Diagnosis? {
        do throws(AuditError) {
            try log.requireRecords(through: end, step: step)
            return nil
        } catch {
            guard error.code == .damaged else { throw error }
            return Diagnosis(damaged: error, model: model)
        }
    }

    // MARK: Differences caused by the model's code

    private func parting<Model: Projection>(
        of model: Model.Type, through end: Position, in folder: ScratchFolder, _ step: (Position) throws(AuditError) -> Void
    ) throws -> Diagnosis? {
        let events = stretch ?? max(Self.eventsMin, end.rawValue / Self.stretches)
        var agreed = try BuiltBeside<Model>(log, in: folder)
        var found: BuiltBeside<Model>.Parting?
        while found == nil, agreed.position < end {
            switch try agreed.step(to: Position(min(end.rawValue, agreed.position.rawValue + events)), step) {
            case .agreed(let next): agreed = next
            case .parted(let parting): found = parting
            }
        }
        guard var found else { return nil }
        while agreed.position.next < found.position {
            let middle = (agreed.position.rawValue + found.position.rawValue) / 2
            switch try agreed.step(to: Position(middle), step) {
            case .agreed(let next): agreed = next
            case .parted(let parting): found = parting
            }
        }
        return try told(found, after: agreed.built)
    }

    private func told<Model: Projection>(_ found: BuiltBeside<Model>.Parting, after built: ScratchModel<Model>) throws -> Diagnosis {
        var row: Diagnosis.Row?
        if let difference = found.row {
            row = Diagnosis.Row(
                difference.difference(of: Model.self, at: found.position),
                before: difference.place.text(try built.value(at: difference.place), of: Model.self), unknown: "")
        }
        return Diagnosis(
            .apply, model: Model.name, at: try FoundEvent(found.position, in: log), row: row,
            detail: found.row?.detail ?? found.refusal.map { "refused: " + $0.detail })
    }

    // MARK: Differences caused by stored rows

    private var eventsPerLook: UInt64 { min(stretch ?? .max, Self.eventsPerLookMax) }

    /// Nil if none ever changed the row.
    private func lastChange<Model: Projection>(
        of row: RowPlace, in model: Model.Type, through end: Position, _ folder: ScratchFolder,
        _ step: (Position) throws(AuditError) -> Void
    ) throws -> Position? {
        guard let start = try lastStep(of: row, in: model, from: .start, through: end, by: eventsPerLook, folder, step) else { return nil }
        let close = Position(min(end.rawValue, start.rawValue + eventsPerLook))
        return try lastStep(of: row, in: model, from: start, through: close, by: 1, folder, step)?.next
    }

    private func lastStep<Model: Projection>(
        of row: RowPlace, in model: Model.Type, from start: Position, through end: Position, by events: UInt64, _ folder: ScratchFolder,
        _ step: (Position) throws(AuditError) -> Void
    ) throws -> Position? {
        let built = try ScratchModel<Model>(in: folder.newPath, log: log)
        _ = try built.advance(to: start) { try step($0) }
        var (last, value, position) = (Position?.none, try built.value(at: row), start)
        while position < end {
            let next = Position(min(end.rawValue, position.rawValue + events))
            _ = try built.advance(to: next, eventsPerBatch: Int(clamping: events)) { try step($0) }
            let changed = try built.value(at: row)
            if changed != value { last = position }
            (value, position) = (changed, next)
        }
        return last
    }

    /// Most rows have a number as key and may return to an earlier content, so they are read after each event. The others are found by
    /// binary search; a row of `shared` that was removed and added again may get an earlier addition.
    private func lastChange(
        ofDiscovered key: String, in table: String, through end: Position, _ step: (Position) throws(AuditError) -> Void
    ) throws -> Position? {
        func value(_ position: Position) throws -> String? {
            try DiscoveryContent.replayed(log, through: position) { try step($0) }.value(of: key, in: table)
        }
        let wanted = try value(end)
        guard wanted != nil else { return nil }
        if let number = Int64(key) {
            return try DiscoveryContent.lastChange(ofRow: number, in: table, log, through: end) { try step($0) }
        }
        var (other, same) = (Position.start, end)
        while other.next < same {
            let middle = Position((other.rawValue + same.rawValue) / 2)
            if try value(middle) == wanted { same = middle } else { other = middle }
        }
        return same
    }
}

/// The event that a search has found.
struct FoundEvent {
    let position: Position
    let type: String
    /// Nil if the event does not decode.
    let line: String?

    init(_ position: Position, in log: EventLog) throws(AuditError) {
        do throws(EventLogError) {
            var fact: Fact?
            let type = try log.withRecord(at: position) { (record) throws(EventLogError) in
                fact = try? LoyaltyCodec.decode(record, at: position)
                return record.type
            }
            line = fact.map { FactText.line($0) }
            self.type = type.map { log.name(of: $0) ?? "type \($0.rawValue)" } ?? "nothing"
            self.position = position
        } catch { throw AuditError(any: error) }
    }
}
