public import EventLog
internal import LMDB
internal import Loyalty
internal import LoyaltyCodec
public import Projections
internal import ReadModels
internal import Search

/// Finds the cause of a read model's difference from the log, and the event at which it began.
///
/// The search builds a new model with the model's own code, and a replay, which is a second implementation of the model. It applies the log
/// to both, one range of events at a time. At the end of each range, it compares the new model with the replay. If they differ, it halves
/// the range until one event is left, before which the two agree and after which they differ. If the two agree at the end of every range,
/// the model's code is right and the stored rows are wrong. In that case, the search finds the last event that changed the wrong row.
///
/// ## Limitations
/// The search does not see a difference that appears and disappears within one range. It needs twice the memory of the replayed model, and
/// in `DATA/derived/audit` twice the disk space of the model's files. The search database has no second implementation, so for this
/// database only wrong stored rows can be found, not wrong code.
///
/// The log is divided into about sixteen ranges of at least 1,024 events, searched from the log's beginning. So a difference that later
/// events remove is found only if it still exists at the end of a range.
///
/// For a wrong stored row in LMDB, the named event is the last one in the last range of at most 8,192 events at whose end the row differs
/// from its content at the beginning. If events of a later range changed the row and took the change back, none of them is named.
public struct Bisection: Sendable {
    /// The approximate number of ranges into which a long log is divided. At the end of each range, the model is compared with the replay
    /// once.
    private static let stretches: UInt64 = 16
    /// The minimum number of events in a range. Only the last range may have fewer.
    private static let eventsMin: UInt64 = 1_024
    /// The maximum number of events in a range when the search looks for the event that last changed a row. The search first finds the
    /// range with this event, and then applies each event of the range in its own transaction.
    private static let eventsPerLookMax: UInt64 = 8_192

    private let models: String
    private let scratch: String
    private let log: EventLog
    /// The number of events in a range; nil to divide the log into about ``stretches`` ranges of at least ``eventsMin`` events.
    private let stretch: UInt64?

    /// - Parameters:
    ///   - models: `DATA/derived/models`.
    ///   - scratch: a folder that only this search uses; the search empties it first and removes it afterwards.
    ///   - log: the log, opened for reading only, or the log that a server in this process has open.
    public init(models: String, scratch: String, log: EventLog) {
        self.init(models: models, scratch: scratch, log: log, stretch: nil)
    }

    /// Creates a search for a command-line tool. Its scratch folder is named after the tool's process. The initializer also removes the
    /// scratch folders that killed tools left.
    public init(_ folder: AuditedFolder, log: EventLog) {
        self.init(models: folder.models, scratch: ScratchFolder.ofThisProcess(in: folder.scratch), log: log)
    }

    init(models: String, scratch: String, log: EventLog, stretch: UInt64?) {
        (self.models, self.scratch, self.log, self.stretch) = (models, scratch, log, stretch)
    }

    /// Finds the cause of a difference.
    ///
    /// - Parameters:
    ///   - difference: the result of the comparison.
    ///   - progress: called from time to time with the position that the search has reached, which may also decrease.
    /// - Throws: ``AuditError`` if the log cannot be read, or if the disk is full.
    public func diagnosis<Model: Projection>(
        of difference: ModelDifference, in model: Model.Type, progress: (Position) -> Void = { _ in }
    ) throws(AuditError) -> Diagnosis {
        try diagnosis(of: difference, in: model) { (position: Position) throws(AuditError) in progress(position) }
    }

    /// Finds the cause of a difference in the search database.
    public func diagnosis(ofDiscovery difference: ModelDifference) throws(AuditError) -> Diagnosis {
        try diagnosis(ofDiscovery: difference) { (_: Position) throws(AuditError) in }
    }

    func diagnosis<Model: Projection>(
        of difference: ModelDifference, in model: Model.Type, step: (Position) throws(AuditError) -> Void
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
                row: Diagnosis.Row(
                    table: difference.table ?? "", key: difference.key ?? "", stored: difference.stored ?? "",
                    expected: difference.expected ?? ""),
                detail: difference.detail)
        } catch {
            throw AuditError(any: error)
        }
    }

    func diagnosis(
        ofDiscovery difference: ModelDifference, step: (Position) throws(AuditError) -> Void
    ) throws(AuditError) -> Diagnosis {
        if let damaged = try damagedLog(through: difference.position ?? .max, of: Discovery.name, step) { return damaged }
        guard let end = difference.position, let table = difference.table, let key = difference.key else { return unread(difference) }
        do {
            let touched = try lastChange(ofDiscovered: key, in: table, through: end, step)
            return Diagnosis(
                .rows, model: Discovery.name, at: try touched.map { try FoundEvent($0, in: log) },
                row: Diagnosis.Row(
                    table: table, key: key, stored: difference.stored ?? "nothing", expected: difference.expected ?? "nothing"))
        } catch {
            throw AuditError(any: error)
        }
    }

    /// The diagnosis for a model that cannot be read, or that was built from another log.
    private func unread(_ difference: ModelDifference) -> Diagnosis {
        Diagnosis(.rows, model: difference.model, detail: difference.detail)
    }

    /// The diagnosis for a log with a changed record; nil if each record up to a position matches its hash. This check comes before the
    /// search for any other cause, because a changed record that still decodes looks like an error of the model's code.
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

    /// Finds the first event after which the model's own code and the replay differ; nil if they agree at the end of every range.
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

    private func told<Model: Projection>(
        _ found: BuiltBeside<Model>.Parting, after built: ScratchModel<Model>
    ) throws -> Diagnosis {
        var row: Diagnosis.Row?
        if let difference = found.row {
            let shown = difference.difference(of: Model.self, at: found.position)
            row = Diagnosis.Row(
                table: shown.table ?? "", key: shown.key ?? "",
                before: difference.place.text(try built.value(at: difference.place), of: Model.self), stored: shown.stored ?? "",
                expected: shown.expected ?? "")
        }
        return Diagnosis(
            .apply, model: Model.name, at: try FoundEvent(found.position, in: log), row: row,
            detail: found.row?.detail ?? found.refusal.map { "refused: " + $0.detail })
    }

    // MARK: Differences caused by stored rows

    private var eventsPerLook: UInt64 { min(stretch ?? .max, Self.eventsPerLookMax) }

    /// The position of the last event that gave a row its expected content; nil if no event ever changed the row.
    private func lastChange<Model: Projection>(
        of row: RowPlace, in model: Model.Type, through end: Position, _ folder: ScratchFolder,
        _ step: (Position) throws(AuditError) -> Void
    ) throws -> Position? {
        guard let start = try lastStretch(of: row, in: model, through: end, folder, step) else { return nil }
        let built = try ScratchModel<Model>(in: folder.newPath, log: log)
        _ = try built.advance(to: start) { try step($0) }
        var (last, value, position) = (Position?.none, try built.value(at: row), start)
        while position < end, position.rawValue < start.rawValue + eventsPerLook {
            position = position.next
            _ = try built.advance(to: position, eventsPerBatch: 1) { try step($0) }
            let next = try built.value(at: row)
            if next != value { last = position }
            value = next
        }
        return last
    }

    /// The position just before the last range of events that changed a row; nil if no event changed the row.
    private func lastStretch<Model: Projection>(
        of row: RowPlace, in model: Model.Type, through end: Position, _ folder: ScratchFolder,
        _ step: (Position) throws(AuditError) -> Void
    ) throws -> Position? {
        let built = try ScratchModel<Model>(in: folder.newPath, log: log)
        var (last, value, position) = (Position?.none, [UInt8]?.none, Position.start)
        while position < end {
            let next = Position(min(end.rawValue, position.rawValue + eventsPerLook))
            _ = try built.advance(to: next) { try step($0) }
            let changed = try built.value(at: row)
            if changed != value { last = position }
            (value, position) = (changed, next)
        }
        return last
    }

    /// The position of the last event that gave a row of the search database its expected content; nil if the row should not exist.
    ///
    /// Most rows have a number as key. Their content can become equal to an earlier one, so they are read after each event. The other rows
    /// are those of `favorites`, which contain the position of their last event, those of `changes`, which never change, and those of
    /// `shared`, which have no content besides the key. They are found by binary search. If a row of `shared` was removed and added again,
    /// the search may name an earlier addition.
    private func lastChange(
        ofDiscovered key: String, in table: String, through end: Position, _ step: (Position) throws(AuditError) -> Void
    ) throws -> Position? {
        func value(_ position: Position) throws -> String? {
            try DiscoveryContent.replayed(log, through: position) { try step($0) }.value(of: key, in: table)
        }
        let wanted = try value(end)
        // If the row should not exist, there is no event that gave it its content.
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

/// The event that a search has found, with its type and its text for the user.
struct FoundEvent {
    let position: Position
    /// The name of the event's type, or the type's number if the log has no name for the type; `nothing` if there is no event at the
    /// position.
    let type: String
    /// The event in one line of text; nil if the event does not decode.
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
        } catch {
            throw AuditError(any: error)
        }
    }
}
