public import Audit
public import EventLog
internal import LoyaltyCodec
internal import ReadModels

/// Exports a log's events and its read models' content as tables for other programs, from the log alone, beside a running server.
///
/// All tables show one position, and equal exports have equal bytes. Events are streamed. Memory holds one model's state, or all shops and
/// campaigns.
public struct AnalystExport {
    /// The result of an export.
    public struct Summary: Hashable, Sendable {
        public let position: UInt64
        public let tables: [Written]
    }

    /// One exported table and its file.
    public struct Written: Hashable, Sendable {
        public let name: String
        public let rows: Int
        public let bytes: Int
    }

    /// In the order in which they are written.
    public static var tableNames: [String] { tables.map(\.name) }

    static let tables = [EventRows.table] + NounTables.tables + ModelExport.all.map(\.table)

    let log: EventLog
    let format: AnalystFormat
    let names: Set<String>
    let bound: ReplayBound

    /// - Parameter names: the names of the tables to export; nil for all.
    /// - Throws: ``AuditError/Code/missing`` for an unknown name.
    public init(
        of log: EventLog, as format: AnalystFormat, tables names: [String]? = nil, until bound: ReplayBound = .head
    ) throws(AuditError) {
        if let unknown = names?.first(where: { !Self.tableNames.contains($0) }) {
            throw AuditError(.missing, "there is no table '\(unknown)'.", remedy: "Known: \(Self.tableNames.joined(separator: ", ")).")
        }
        (self.log, self.format, self.bound) = (log, format, bound)
        self.names = Set(names ?? Self.tableNames)
    }

    /// The number of events in all passes, for a progress bar. It may be too high if the bound is a time.
    public var work: Int { Int(clamping: bound.through(log.head).rawValue) * passes }

    private var passes: Int { (wants(EventRows.table) ? 1 : 0) + (NounTables.tables.contains(where: wants) ? 1 : 0) + models.count }

    private var models: [String] { ReadModels.names.filter { model in ModelExport.all.contains { $0.model == model && wants($0.table) } } }

    private func wants(_ table: AnalystTable) -> Bool { names.contains(table.name) }

    /// Creates the folder with a file for each requested table, `schema.json` and `README.md`. After an error, no file is left.
    ///
    /// - Parameters:
    ///   - folder: the folder to create; it may exist, but must be empty.
    ///   - progress: called with the number of events read so far; the total is ``work``.
    ///   - begun: called with the path of the unfinished folder as soon as this process owns it. Until then, the folder may be another
    ///     process's work and MUST NOT be removed.
    /// - Throws: ``AuditError/Code/occupied``, ``AuditError/Code/output``, ``AuditError/Code/log``, ``AuditError/Code/damaged``,
    ///   ``AuditError/Code/event``, ``AuditError/Code/model``.
    public func run(
        to folder: String, progress: (Int) -> Void = { _ in }, begun: (_ partial: String) -> Void = { _ in }
    ) throws(AuditError) -> Summary {
        let copy = try CopiedFolder(folder)
        begun(copy.partial)
        do throws(AuditError) {
            let end = try lastPosition()
            var written: [Written] = []
            let total = Int(clamping: end.rawValue)
            try writeEvents(copy.partial, through: end, &written, progress)
            var done = written.count * total
            if NounTables.tables.contains(where: wants) {
                try writeNouns(copy.partial, through: end, &written) { progress(done + $0) }
                done += total
            }
            for model in models {
                try write(model, copy.partial, through: end, &written) { progress(done + $0) }
                done += total
            }
            let summary = Summary(position: end.rawValue, tables: written)
            let schema = AnalystSchema(format: format, summary: summary, tables: Self.tables.filter(wants))
            try copy.write(Array(schema.json.utf8), as: "schema.json")
            try copy.write(Array(schema.guide.utf8), as: "README.md")
            try copy.complete()
            return summary
        } catch {
            copy.abandon()
            throw error
        }
    }

    private func lastPosition() throws(AuditError) -> Position {
        let through = bound.through(log.head)
        guard case .time = bound, through > .start else { return through }
        var last = Position.start
        do {
            try log.scan(after: .start, through: through) { position, record in
                if bound.ends(before: record) { return false }
                last = position
                return true
            }
        } catch { throw AuditError(any: error) }
        return last
    }
}

extension AnalystExport {
    private static let reportEvery: UInt64 = 4_096

    private func writeEvents(
        _ folder: String, through end: Position, _ written: inout [Written], _ progress: (Int) -> Void
    ) throws(AuditError) {
        guard wants(EventRows.table) else { return }
        let file = try AnalystFile(EventRows.table, format, in: folder)
        let rows = EventRows()
        try scan(through: end, progress) { position, record in try file.write(rows.row(record, at: position)) }
        written.append(try finish(EventRows.table, file))
    }

    private func writeNouns(
        _ folder: String, through end: Position, _ written: inout [Written], _ progress: (Int) -> Void
    ) throws(AuditError) {
        var nouns = NounTables()
        try scan(through: end, progress) { position, record in try nouns.apply(record, at: position) }
        for table in NounTables.tables where wants(table) {
            let file = try AnalystFile(table, format, in: folder)
            for row in nouns.rows(of: table.name) { try file.write(row) }
            written.append(try finish(table, file))
        }
    }

    /// Replays one model, writes its tables and releases it.
    private func write(
        _ model: String, _ folder: String, through end: Position, _ written: inout [Written], _ progress: (Int) -> Void
    ) throws(AuditError) {
        let replay = try Replay(of: log, until: .position(end), models: [model]) { progress(Int(clamping: $0.rawValue)) }
        let tables = replay.tables(of: model)
        for export in ModelExport.all where export.model == model && wants(export.table) {
            let file = try AnalystFile(export.table, format, in: folder)
            if let table = tables.first(where: { $0.name == export.modelTable }) {
                var row = CanonicalRow()
                for index in 0..<table.count {
                    table.row(index, into: &row)
                    for values in try export.rows(ModelRow(row)) { try file.write(values) }
                }
            }
            written.append(try finish(export.table, file))
        }
    }

    private func finish(_ table: AnalystTable, _ file: AnalystFile) throws(AuditError) -> Written {
        try file.finish()
        return Written(name: table.name, rows: file.rows, bytes: file.bytes)
    }

    private func scan(
        through end: Position, _ progress: (Int) -> Void, _ body: (Position, borrowing Record) throws -> Void
    ) throws(AuditError) {
        guard end > .start else { return }
        do {
            try log.scan(after: .start, through: end) { position, record in
                try body(position, record)
                if position.rawValue % Self.reportEvery == 0 { progress(Int(clamping: position.rawValue)) }
                return true
            }
        } catch { throw AuditError(any: error) }
        progress(Int(clamping: end.rawValue))
    }
}

/// One table's file, written in large buffers.
final class AnalystFile {
    private static let bufferBytes = 1 << 18

    private let text: AnalystText
    private let file: OutputFile
    private var buffer: [UInt8] = []
    private(set) var rows = 0
    private(set) var bytes = 0

    init(_ table: AnalystTable, _ format: AnalystFormat, in folder: String) throws(AuditError) {
        text = AnalystText(format, table.columns)
        file = try OutputFile("\(folder)/\(table.name).\(format.rawValue)")
        text.head(into: &buffer)
    }

    /// Writes one row, with a value for every column.
    ///
    /// - Throws: ``AuditError/Code/output``.
    func write(_ values: [AnalystValue]) throws(AuditError) {
        text.line(values, into: &buffer)
        rows += 1
        if buffer.count >= Self.bufferBytes { try flush() }
    }

    /// Writes the buffer, and makes the file durable.
    ///
    /// - Throws: ``AuditError/Code/output``.
    func finish() throws(AuditError) {
        try flush()
        try file.complete()
    }

    private func flush() throws(AuditError) {
        try file.write(buffer)
        bytes += buffer.count
        buffer.removeAll(keepingCapacity: true)
    }
}

/// The formats in which tables are written.
public enum AnalystFormat: String, Sendable, CaseIterable {
    /// CSV (RFC 4180) in UTF-8 with CRLF and a header. An empty field means no value, and `""` means empty text.
    case csv
    /// One JSON object per line, with a member for every column; `null` means no value.
    case jsonl
}
