import Archive
import ArgumentParser
import Audit
import Console
import EventLog
import Foundation
import LoyaltyCodec
import Merkle

/// `greentea-audit export`: writes events to a file.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write events to a file, with their exact bytes and the roots that check them.",
        discussion: """
            This takes a log elsewhere: `greentea-audit import` makes the same log of it. For tables to ask questions of, as CSV \
            or JSON lines, use `greentea-replay export`. The log's name goes with it; checkpoint, keys and pictures are files of \
            their own.

            Every page of the log's file is looked at first, and each record compared with the tree: a damaged log is not \
            exported. A file gets its name when it is whole. The summary goes to standard output, or to standard error where the \
            events go to that.

            EXAMPLES
              greentea-audit export --data data --output events.jsonl
              What has come since position 5000, smaller:
                greentea-audit export --data data --after 5000 --format binary --output tail

            EXIT CODES
              0   written
              1   the log is damaged: no file is left
              2   not, or not all of it: no data folder, no such position, the file cannot
                  be written
              64  wrong use
            """)

    @OptionGroup var folder: FolderOption

    @Option(help: "jsonl: a readable line for each event. binary: smaller and faster.")
    var format = TransferFormat.jsonl.rawValue

    @Option(help: ArgumentHelp("Only events behind this position.", valueName: "position"))
    var after: UInt64 = 0

    @Option(name: .shortAndLong, help: ArgumentHelp("The file to write; - is standard output.", valueName: "file"))
    var output = "-"

    @Flag(help: "The summary as JSON.")
    var json = false

    /// Prints bytes. A failed write ends the export with an `AuditError`.
    private static func print(_ bytes: [UInt8]) throws(AuditError) {
        do throws(OutputError) { try StandardOutput.hand(bytes) } catch {
            throw AuditError(.output, "the export was not written.", remedy: error.description)
        }
    }

    func validate() throws { if TransferFormat(rawValue: format) == nil { throw ValidationError("--format is jsonl or binary.") } }

    func run() throws {
        try Outcome.report("export") {
            let audited = try folder.audited(writing: output)
            try audited.requireOutside(output)
            let log = try audited.log(.readOnly)
            let file = output == "-" ? nil : try OutputFile(output)
            let summary = try export(log, to: file)
            let members: [String: Any] = ["after": summary.after, "head": summary.head, "root": summary.root.hex]
            let plain = "exported  events \(summary.head - summary.after)  head \(summary.head)  root \(summary.root.hex)"
            let text = json ? JSONLine.text(members) : plain
            if file == nil { StandardError.write(text) } else { try StandardOutput.say(text) }
            return true
        }
    }

    /// Writes the events to a file, or to standard output without one.
    ///
    /// A signal removes the incomplete file only until this returns. Later, its temporary name may belong to another process.
    private func export(_ log: EventLog, to file: OutputFile?) throws -> Export.Summary {
        try Interruption.removingUnfinished { begun in
            if let partial = file?.partial { begun(partial) }
            let bar = ProgressBar(label: "export", total: Int(clamping: log.head.rawValue), unit: "events")
            let export = Export(of: log, format: TransferFormat(rawValue: format) ?? .jsonl) { bytes in
                if let file { try file.write(bytes) } else { try Self.print(bytes) }
            }
            let summary = try export.run(after: Position(after)) { bar.advance(to: Int(clamping: $0)) }
            bar.finish()
            try file?.complete()
            return summary
        }
    }
}

/// `greentea-audit import`: reads events from a file.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Append exported events to a new log, or to one that ends where they begin.",
        discussion: """
            Positions, times and bytes are those of the log that they come from, and so is the root. A batch is stored only if it \
            leads to the root that the file names, so a bad file leaves everything before the bad place, and nothing of it. A batch \
            has 1,024 events: of an export that was cut off, whole batches are imported, and the error says where the log ends. A new \
            log gets the name of the one that the events come from, so that its checkpoints and keys go on; where that had none, \
            the first start of the server names it (`greentea serve --origin`).

            EXAMPLES
              greentea-audit import --data new --from events.jsonl
              What has come since, from one machine to the other:
                greentea-audit export --data data --after 5000 | ssh other greentea-audit import --data data --from -

            EXIT CODES
              0   imported
              1   the log to append to is damaged; or the file is a salvaged one, and
                  everything before its first gap was imported
              2   refused at the line or byte that is named; what was imported before it
                  stays
              64  wrong use
            """)

    @OptionGroup var folder: FolderOption

    @Option(help: ArgumentHelp("What `export` has written, in either form; - is standard input.", valueName: "file"))
    var from: String

    @Flag(help: "The summary as JSON.")
    var json = false

    func run() throws {
        try Outcome.report("import") {
            try UpkeepNote.requireOwner(of: folder.data, "import")
            let file = try open()
            var opened: EventLog?
            let bar = ProgressBar(label: "import", total: 0, unit: "events")
            let importing = Import { name in
                let log = try log(named: name)
                opened = log
                return log
            }
            let summary = try importing.run(progress: { bar.advance(to: Int(clamping: $0)) }) { count in
                [UInt8](try file.read(upToCount: count) ?? Data())
            }
            bar.finish()
            try? opened?.close()
            var members: [String: Any?] = ["events": summary.events, "head": summary.head, "root": summary.root.hex]
            var lines = ["imported  events \(summary.events)  head \(summary.head)  root \(summary.root.hex)"]
            if !summary.lost.isEmpty {
                (members["lost"], members["left"]) = (JSONLine.ranges(summary.lost), JSONLine.ranges(summary.left))
                lines.append("lost  \(Salvage.text(summary.lost)) are not in the file, so nothing behind them was imported")
            }
            try StandardOutput.say(json ? [JSONLine.text(members)] : lines)
            return summary.lost.isEmpty
        }
    }

    private func open() throws(AuditError) -> FileHandle {
        if from == "-" { return .standardInput }
        guard let file = FileHandle(forReadingAtPath: from) else {
            throw AuditError(.missing, "\(from) cannot be read.", remedy: "Name a file that `greentea-audit export` has written.")
        }
        return file
    }

    /// Opens the log, and creates it and its folder if they are missing. A new log's creation time is the time of the import.
    private func log(named name: String?) throws(AuditError) -> EventLog {
        let place = DataFolder(folder.data)
        if let folder = try? AuditedFolder(place.path) { try folder.requireWholePages() }
        var options = EventLog.Options()
        (options.origin, options.leavesNameOpen) = (name, true)
        do throws(EventLogError) {
            return try EventLog(
                directory: place.log, index: place.index, schema: LoyaltySchema.schema, access: .readWrite, created: Now.timestamp,
                options: options)
        } catch {
            if error.code == .otherOrigin {
                throw AuditError(.input, "the events are another log's: \(error.detail)", remedy: "Import into a new folder.")
            }
            throw AuditError(.log, error.detail, remedy: error.remedy)
        }
    }
}
