import Archive
import ArgumentParser
import Audit
import Console
import EventLog
import PastStates

/// `greentea-replay export`: writes a log as tables.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write events and models as tables for analysts: CSV or JSON lines, from the log alone.",
        discussion: """
            Makes a folder with one file a table, schema.json and a README.md that describe every column and say how to turn the \
            files into Parquet. Everything is as of one position. Sealed fields stay sealed. It reads only, so it may run beside a \
            server; it writes a new folder beside its final name and renames it, so there is all of it or nothing.

            This is for questions. To take a log elsewhere, byte for byte and provably, use `greentea-audit export`.

            TABLES
              \(AnalystExport.tableNames.joined(separator: ", "))

            EXAMPLES
              Everything, as CSV:
                greentea-replay export --data data --to tables
              Only events and cards as they stood at New Year, as JSON lines:
                greentea-replay export --data data --to tables --format jsonl --tables events,cards --until 2026-12-31T23:59:59Z
              The ten fullest cards:
                duckdb -c "SELECT card, stamps, goal FROM 'tables/cards.csv' ORDER BY stamps DESC LIMIT 10"

            EXIT CODES
              0   written
              2   not written, and nothing left behind: no data folder, a folder that is
                  not empty, no room; the error names the remedy
              64  wrong use
            """)

    @Option(help: ArgumentHelp("The server's data folder.", valueName: "dir"))
    var data: String

    @Option(help: ArgumentHelp("The folder to make; it may exist, but must be empty.", valueName: "folder"))
    var to: String

    @Option(help: "csv or jsonl.")
    var format = AnalystFormat.csv.rawValue

    @Option(help: ArgumentHelp("Only these tables, with commas between them.", valueName: "a,b"))
    var tables: String?

    @Option(
        help: ArgumentHelp("As of this position, or before the first event later than this time (RFC 3339).", valueName: "position|time"))
    var until: String?

    @Flag(help: "The summary as JSON.")
    var json = false

    func validate() throws {
        guard AnalystFormat(rawValue: format) != nil else { throw ValidationError("--format is csv or jsonl.") }
        if let unknown = names?.first(where: { !AnalystExport.tableNames.contains($0) }) {
            throw ValidationError("There is no table '\(unknown)'. Known: \(AnalystExport.tableNames.joined(separator: ", ")).")
        }
        if names?.isEmpty == true {
            throw ValidationError("--tables names none. Known: \(AnalystExport.tableNames.joined(separator: ", ")); all without it.")
        }
        _ = try bound
    }

    func run() throws {
        try ErrorReport.report {
            let folder = try AuditedFolder(asOwner: data, writing: [to])
            try folder.requireOutside(to)
            let log = try folder.log(.readOnly)
            let export = try AnalystExport(of: log, as: AnalystFormat(rawValue: format) ?? .csv, tables: names, until: try bound)
            let bar = ProgressBar(label: "export", total: export.work, unit: "events")
            let summary = try Interruption.removingUnfinished { begun in
                try export.run(to: to, progress: { bar.advance(to: $0) }, begun: begun)
            }
            bar.finish()
            try StandardOutput.say(json ? jsonText(summary) : text(summary))
        }
    }

    private var bound: ReplayBound { get throws { try until.map(ReplayBound.init(parsing:)) ?? .head } }

    private var names: [String]? { tables.map { $0.split(separator: ",").map(String.init) } }

    private func text(_ summary: AnalystExport.Summary) -> String {
        let head = "exported  position \(summary.position)  tables \(summary.tables.count)  to \(to)"
        return ([head] + summary.tables.map { "\($0.name)  rows \($0.rows)  bytes \($0.bytes)" }).joined(separator: "\n")
    }

    private func jsonText(_ summary: AnalystExport.Summary) -> String {
        let tables = summary.tables.map { #"{"name":"\#($0.name)","rows":\#($0.rows),"bytes":\#($0.bytes)}"# }
        return #"{"position":\#(summary.position),"tables":[\#(tables.joined(separator: ","))]}"#
    }
}
