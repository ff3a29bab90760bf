import Archive
import ArgumentParser
import Audit
import Console
import EventLog
import Foundation
import Merkle

/// `greentea-audit verify`: checks the whole content of a log.
struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Look at every page, record, hash and rule of a log, and at its index.",
        discussion: """
            Pages of the file are as the storage engine writes them; records decode and follow each other without a gap; no time is \
            before 1970; the tree's hashes are those of the records; the log begins as its signed checkpoint says; the stored tag \
            index holds what the events say; no request's key was used twice; and no event breaks a rule of the service. Each picture \
            that a shop or a campaign shows has its file, whole; those of profiles are sealed, and only the server can count them. It only \
            reads, and may run beside a server.

            Events that are more than a day in the future, as a clock that was ahead has written them, are noted, and so are events \
            that are earlier than the one before. Such a log is clean, and its backups can be restored.

            EXAMPLES
              Beside a server, or without one:
                greentea-audit verify --data data
              Against a checkpoint that was kept elsewhere:
                greentea-audit verify --data data --checkpoint kept --key "$(cat data/checkpoint.vkey)"

            EXIT CODES
              0   clean
              1   something is wrong: each finding says where, and what to do about it;
                  or pictures are missing or damaged, and everything else is clean
              2   it could not be looked at: no data folder, no such checkpoint, a key
                  that is none
              64  wrong use
            """)

    @OptionGroup var folder: FolderOption

    @Option(help: ArgumentHelp("A signed checkpoint that the log must begin with; else the folder's own.", valueName: "file"))
    var checkpoint: String?

    @Option(help: ArgumentHelp("The key that must have signed it: name+id+base64.", valueName: "vkey"))
    var key: String?

    @Option(help: "Threads.")
    var jobs = max(1, ProcessInfo.processInfo.activeProcessorCount)

    @Flag(help: "One JSON object in place of lines.")
    var json = false

    func validate() throws { if !(1...64).contains(jobs) { throw ValidationError("--jobs is 1 to 64.") } }

    func run() throws {
        try Outcome.report("verify") {
            let verification = Verification(try folder.audited(), options: try options())
            let bar = ProgressBar(label: "verify", total: FolderOption.events(in: folder.data), unit: "events")
            let report = try verification.run { bar.advance(to: Int(clamping: $0)) }
            bar.finish()
            let missing = try report.missingPictures()
            try StandardOutput.say(VerifyText(report: report, missing: missing).lines(json: json))
            return report.isClean && missing.isEmpty
        }
    }

    private func options() throws -> Verification.Options {
        var options = Verification.Options(now: Now.timestamp)
        (options.checkpoint, options.jobs) = (checkpoint, jobs)
        do { options.key = try key.map { try VerifierKey($0) } } catch {
            throw AuditError(.missing, "--key: \(error).", remedy: "Give the verifier key as the log's operator publishes it.")
        }
        return options
    }
}

/// The result of a verification, as text.
struct VerifyText {
    let report: VerifyReport
    /// The shown pictures whose files are missing.
    var missing: [String] = []
    /// The folder into which a backup was restored; nil if the command restored nothing.
    var restored: String?
    /// The result of that restore, with the pictures that were left out; nil if the command restored nothing.
    var outcome: Restore.Outcome?

    func lines(json: Bool) -> [String] { json ? [JSONLine.text(members)] : text }

    private var text: [String] {
        var lines = report.findings.map { "\($0)" }
        let more = report.findingCount - report.findings.count
        if more > 0 { lines.append("… and \(more) more findings") }
        for kind in Finding.Kind.allCases {
            var told: Set<String> = []
            for finding in report.findings where finding.kind == kind && told.insert(finding.remedy).inserted {
                lines.append("what to do (\(kind.rawValue)): \(finding.remedy)")
            }
        }
        lines += report.notes.map { "note: \($0)" }
        let isRestored = restored != nil && report.isClean
        if outcome?.lacksPictureList == true { lines.append("damaged list of pictures: one that is gone from the backup is not missed") }
        lines += outcome?.lostPictures.map { "damaged picture, left out: \($0)" } ?? []
        lines += MissingPictureText.lines(missing, in: restored ?? report.folder)
        lines += outcome?.advice ?? []
        return lines + [isRestored ? "restored  events \(report.head)\(root)  to \(restored ?? "")" : summary]
    }

    private var summary: String {
        let checkpoint = report.checkpoint.map { "  checkpoint \($0)" } ?? ""
        let indexed = report.indexed.map { "  index \($0)" } ?? ""
        let verdict = report.isClean ? "clean" : "damaged"
        return "\(verdict)  events \(report.head)\(root)\(checkpoint)\(indexed)  findings \(report.findingCount)"
    }

    private var root: String { report.root.map { "  root \($0.hex)" } ?? "" }

    private var members: [String: Any?] {
        let lost = outcome?.lostEvents ?? []
        return [
            "verdict": report.isClean ? "clean" : "damaged", "events": report.head.rawValue, "findingCount": report.findingCount,
            "findings": report.findings.map(Self.members), "notes": report.notes, "root": report.root?.hex,
            "checkpoint": report.checkpoint, "index": report.indexed?.rawValue, "lostPictures": outcome?.lostPictures,
            "missingPictures": missing, "advice": outcome?.advice, "lostEvents": lost.isEmpty ? nil : JSONLine.ranges(lost),
            "pictureList": outcome?.lacksPictureList == true ? false : nil, "restored": restored.map { _ in report.isClean },
            "to": restored,
        ]
    }

    private static func members(_ finding: Finding) -> [String: Any] {
        JSONLine.object([
            "kind": finding.kind.rawValue, "what": finding.what, "remedy": finding.remedy, "position": finding.position?.rawValue,
            "page": finding.page, "file": finding.file,
        ])
    }
}
