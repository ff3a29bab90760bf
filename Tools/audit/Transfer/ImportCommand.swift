import ArgumentParser
import Audit
import Console
import EventLog
import Foundation
import LoyaltyCodec
import Merkle

/// `greentea-audit import`: events from a file.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Append exported events to a new log, or to one that ends where they begin.",
        discussion: """
            Positions, times and bytes are those of the log that they come from, and so is the root. A batch is stored only if it leads to \
            the root that the file names, so a bad file leaves everything before the bad place, and nothing of it. A new log gets the \
            name of the one that the events come from, so that its checkpoints and keys go on; where that had none, the first start of \
            the server names it (`greentea serve --origin`).

            EXAMPLES
              greentea-audit import --data new --from events.jsonl
              What has come since, from one machine to the other:
                greentea-audit export --data data --after 5000 | ssh other greentea-audit import --data data --from -

            EXIT CODES
              0   imported
              1   the log to append to is damaged
              2   refused at the line or byte that is named; what was imported before it stays
              64  wrong use
            """)

    @OptionGroup var folder: FolderOption

    @Option(help: ArgumentHelp("What `export` has written, in either form; - is standard input.", valueName: "file"))
    var from: String

    @Flag(help: "The summary as JSON.")
    var json = false

    func run() throws {
        try Outcome.report("import") {
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
            let members: [String: Any] = ["events": summary.events, "head": summary.head, "root": summary.root.hex]
            let line = "imported  events \(summary.events)  head \(summary.head)  root \(summary.root.hex)"
            try StandardOutput.say(json ? JSONLine.text(members) : line)
            return true
        }
    }

    private func open() throws(AuditError) -> FileHandle {
        if from == "-" { return .standardInput }
        guard let file = FileHandle(forReadingAtPath: from) else {
            throw AuditError(.missing, "\(from) cannot be read.", remedy: "Name a file that `greentea-audit export` has written.")
        }
        return file
    }

    /// Makes the folder where there is none: its creation is the moment of the import.
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
