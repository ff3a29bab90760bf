import ArgumentParser
import Audit
import EventLog
import Foundation
import ReadModels
import Search
import TerminalProgress

/// `greentea-rebuild`: builds read models anew from the log, beside the ones in use, and switches.
@main
struct GreenTeaRebuild: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "greentea-rebuild",
        abstract: "Build the read models anew from the log, beside the old ones, and switch.",
        discussion: """
            A new generation of each model is filled from the first event on, checked, flushed and put into use; then the old one is \
            removed. A crash at any moment leaves a model that can be used. The server must be stopped meanwhile.

            EXAMPLES
              All models:
                greentea-rebuild --data data
              One of them, with the result as JSON:
                greentea-rebuild --data data --model \(CardProgress.name) --json
              Afterwards, to be sure:
                greentea-replay --data data --compare

            EXIT CODES
              0   done
              2   it could not be done: a server holds the folder, no data folder, no such model; the error names the remedy
              64  wrong use
            """)

    @Option(help: ArgumentHelp("The server's data folder.", valueName: "dir"))
    var data: String

    @Option(help: ArgumentHelp("Only this model: \(Self.names.joined(separator: " or ")).", valueName: "name"))
    var model: String?

    @Flag(help: "Print one JSON object for each model.")
    var json = false

    private static let names = ReadModels.names + [Discovery.name]

    func run() throws {
        do {
            let types = try chosen()
            let folder = try AuditedFolder(data)
            let log = try folder.log(.readWrite)
            for type in types { print(try rebuild(type, in: folder, log)) }
            if model == nil || model == Discovery.name { print(try rebuildDiscovery(in: folder, log)) }
            try? log.close()
        } catch let error as AuditError {
            try fail("\(error)")
        } catch let error as ReadModelError {
            try fail("\(error)")
        }
    }

    private func chosen() throws -> [any Projection.Type] {
        guard let model else { return ReadModels.models }
        if model == Discovery.name { return [] }
        if let type = ReadModels.model(named: model) { return [type] }
        throw AuditError(
            .missing, "there is no model '\(model)'.", remedy: "Known: \(Self.names.joined(separator: ", ")).")
    }

    private func rebuild<Model: Projection>(_ type: Model.Type, in folder: AuditedFolder, _ log: EventLog) throws -> String {
        let bar = ProgressBar(label: Model.name, total: Int(clamping: log.head.rawValue), unit: "events")
        let summary = try ModelBuilder(models: folder.models, log: log).build(type) { bar.advance(to: Int(clamping: $0.rawValue)) }
        bar.finish()
        let digest = try ModelDigest(stored: type, in: folder.models)
        return SummaryText(summary: summary, rows: digest.rows, digest: digest.hex).text(json: json)
    }

    private func rebuildDiscovery(in folder: AuditedFolder, _ log: EventLog) throws -> String {
        let bar = ProgressBar(label: Discovery.name, total: Int(clamping: log.head.rawValue), unit: "events")
        let built = try DiscoveryBuilder(models: folder.models, log: log).build { bar.advance(to: Int(clamping: $0.rawValue)) }
        bar.finish()
        return SummaryText(summary: built.summary, rows: built.rows, digest: built.digest).text(json: json)
    }

    private func fail(_ text: String) throws {
        try? FileHandle.standardError.write(contentsOf: Data("greentea-rebuild: \(text)\n".utf8))
        throw ExitCode(2)
    }
}
