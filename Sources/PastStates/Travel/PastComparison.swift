public import Audit
public import EventLog
internal import Foundation
internal import LoyaltyCodec
internal import Projections
internal import ReadModels

/// One item at two moments, field by field.
public struct PastComparison: Sendable {
    private let from: PastAnswer
    private let to: PastAnswer

    public init(from: PastAnswer, to: PastAnswer) { (self.from, self.to) = (from, to) }

    /// One line per field, with `before → after` for a change, and a line for each changed element of a list.
    public var lines: [String] {
        let heading =
            "\(from.subject)  from position \(from.moment.position), \(from.moment.clock.rfc3339), "
            + "to position \(to.moment.position), \(to.moment.clock.rfc3339)"
        let (old, new) = (from.rows.first ?? [], to.rows.first ?? [])
        if old.isEmpty, new.isEmpty { return [heading + ": there was none"] }
        let names = (new.isEmpty ? old : new).map(\.name)
        let width = names.map(\.count).max() ?? 0
        return [heading]
            + names.flatMap { name -> [String] in
                let label = "  " + name + String(repeating: " ", count: width - name.count) + "  "
                let values = (Self.value(name, old), Self.value(name, new))
                if case (.list(let before)?, .list(let after)?) = values { return Self.lists(label, before, after) }
                let texts = (Self.text(values.0), Self.text(values.1))
                return [label + (texts.0 == texts.1 ? texts.0 : "\(texts.0)  →  \(texts.1)")]
            }
    }

    /// One JSON object with both states; a state is null if the item did not exist.
    public var json: String {
        JSONText.object([("subject", JSONText.string(from.subject)), ("from", Self.json(from)), ("to", Self.json(to))])
    }

    private static func json(_ answer: PastAnswer) -> String {
        JSONText.object([
            ("position", "\(answer.moment.position)"), ("time", JSONText.string(answer.moment.clock.rfc3339)),
            ("state", answer.rows.first.map { PastAnswer.json(.record($0)) } ?? "null"),
        ])
    }

    private static func lists(_ label: String, _ before: [PastValue], _ after: [PastValue]) -> [String] {
        let (gone, new) = (before.filter { !after.contains($0) }, after.filter { !before.contains($0) })
        let counts = before.count == after.count ? "\(after.count)" : "\(before.count)  →  \(after.count)"
        return [label + counts] + gone.map { "    - " + PastAnswer.plain($0) } + new.map { "    + " + PastAnswer.plain($0) }
    }

    private static func value(_ name: String, _ row: [PastField]) -> PastValue? { row.first { $0.name == name }?.value }

    private static func text(_ value: PastValue?) -> String { value.map(PastAnswer.plain) ?? "not there" }
}

/// The changed rows of the read models between two moments, from the log alone.
///
/// The earlier rows of one model at a time are written into sorted files and compared with the later ones, so memory holds one state.
public struct ModelsDiff: Sendable {
    /// Every table of every model, changed or not.
    public let tables: [TableDiff]

    /// - Parameters:
    ///   - limit: changed rows to keep for each table; 0 for all.
    ///   - progress: called with the number of events read so far; the total is ``events(from:to:)``.
    /// - Throws: ``AuditError/Code/log``, ``AuditError/Code/damaged``, ``AuditError/Code/event``, ``AuditError/Code/output``.
    public init(
        of log: EventLog, from: Position, to: Position, limit: Int, in folder: AuditedFolder? = nil,
        progress: (_ events: Int) -> Void = { _ in }
    ) throws(AuditError) {
        let scratch = try Self.scratch(folder)
        var tables: [TableDiff] = []
        for (index, model) in ReadModels.models.enumerated() {
            let before = index * Self.events(ofOne: from, to)
            tables += try Self.diff(model, log, (from, to), limit, scratch.newPath) { progress(before + Int(clamping: $0.rawValue)) }
        }
        self.tables = tables
    }

    /// Each model is replayed from the beginning.
    public static func events(from: Position, to: Position) -> Int { ReadModels.models.count * events(ofOne: from, to) }

    private static func events(ofOne from: Position, _ to: Position) -> Int { Int(clamping: max(from, to).rawValue) }

    private static func scratch(_ folder: AuditedFolder?) throws(AuditError) -> ScratchFolder {
        if let folder, let here = try? ScratchFolder(ScratchFolder.ofThisProcess(in: folder.scratch)) { return here }
        let name = "greentea-diff-" + ProcessInfo.processInfo.globallyUniqueString
        return try ScratchFolder(FileManager.default.temporaryDirectory.path + "/" + name)
    }

    private static func diff(
        _ model: any Projection.Type, _ log: EventLog, _ moments: (from: Position, to: Position), _ limit: Int, _ path: String,
        _ progress: (Position) -> Void
    ) throws(AuditError) -> [TableDiff] {
        let (first, last) = (min(moments.from, moments.to), max(moments.from, moments.to))
        var replay = try Replay(of: log, until: .position(first), models: [model.name], progress: progress)
        do {
            let earlier = try EarlierTables(of: model, replay, in: path)
            defer { earlier.remove() }
            try replay.advance(until: .position(last), progress: progress)
            return try zip(model.tables, replay.tables(of: model.name)).enumerated().map { index, pair in
                var diff = TableDiff(model.name, pair.0)
                let walk = TableWalk(earlier: try earlier.table(index), later: pair.1, keyBytes: pair.0.keyBytes)
                try walk.forEach { diff.add(moments.from <= moments.to ? $0 : $0.reversed, limit: limit) }
                return diff
            }
        } catch let error as AuditError {
            throw error
        } catch {
            let reason = (error as? SnapshotFault).map { "a file of them " + $0.reason } ?? "\(FileFault(error))"
            throw AuditError(
                .output, "the rows of \(model.name) at position \(first) cannot be kept in \(path): \(reason).",
                remedy: "Check the disk's room and the folder's permissions.")
        }
    }
}

extension TableDiff {
    fileprivate mutating func add(_ change: RowChange, limit: Int) {
        if change.before == nil { added += 1 } else if change.after == nil { removed += 1 } else { changed += 1 }
        if limit == 0 || changes.count < limit { changes.append(change) }
    }
}

extension RowChange {
    fileprivate var reversed: RowChange { RowChange(key: key, before: after, after: before) }
}
