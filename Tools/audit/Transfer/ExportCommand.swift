import ArgumentParser
import Audit
import EventLog
import Foundation
import Merkle
import TerminalProgress

/// `greentea-audit export`: events as a file.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write events to a file, with their exact bytes and the roots that check them.",
        discussion: """
            This takes a log elsewhere: `greentea-audit import` makes the same log of it. For tables to ask questions of, as CSV or JSON \
            lines, use `greentea-replay export`.

            EXIT CODES
              0   written
              2   not, or not all of it: no data folder, no such position, the file cannot be written
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

    func validate() throws {
        if TransferFormat(rawValue: format) == nil { throw ValidationError("--format is jsonl or binary.") }
    }

    func run() throws {
        try Outcome.report("export") {
            let log = try folder.audited().log(.readOnly)
            let file = try open()
            let bar = ProgressBar(label: "export", total: Int(clamping: log.head.rawValue), unit: "events")
            let export = Export(of: log, format: TransferFormat(rawValue: format) ?? .jsonl) { try file.write(contentsOf: Data($0)) }
            let summary = try export.run(after: Position(after)) { bar.advance(to: Int(clamping: $0)) }
            bar.finish()
            if output != "-" { try? file.synchronize() }
            let members: [String: Any] = ["after": summary.after, "head": summary.head, "root": summary.root.hex]
            let plain = "exported  events \(summary.head - summary.after)  head \(summary.head)  root \(summary.root.hex)"
            let text = json ? JSONLine.text(members) : plain
            try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
            return true
        }
    }

    private func open() throws -> FileHandle {
        if output == "-" { return .standardOutput }
        guard FileManager.default.createFile(atPath: output, contents: nil), let file = FileHandle(forWritingAtPath: output) else {
            throw AuditError(.input, "\(output) cannot be written.", remedy: "Check the folder's owner and permissions.")
        }
        return file
    }
}
