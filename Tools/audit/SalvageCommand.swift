import Archive
import ArgumentParser
import Audit
import Console
import LoyaltyCodec

/// `greentea-audit salvage`: writes the intact events of a damaged log to a file.
struct SalvageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "salvage", abstract: "Write every intact event of a damaged log to a file, and list what is missing.",
        discussion: """
            It only reads, and the service must be stopped. The storage engine does not open the file: where a page that leads to \
            events is damaged, all pages are searched for them. An event is proved by its hash in the log's tree, or by the hash over \
            the 256 events that it belongs to. One whose hashes are lost is written as well, and listed as unproved.

            The file has a readable line for each event. `restore --salvaged` continues a backup with it, and events that the backup \
            has fill its gaps. A log has no gaps: what comes behind an event that neither has stays in the file alone. The lines say \
            how far a restore gets, with the best backup in --in (else where the last one was made), and what to type next.

            EXAMPLE
              greentea-audit salvage --data data --to salvaged.jsonl --in copies

            EXIT CODES
              0   written, and nothing is missing
              1   written, and events are missing: the lines say which; or the file of the
                  log is empty
              2   not written: no data folder, a server runs, the file cannot be written
              64  wrong use
            """)

    @OptionGroup var folder: FolderOption

    @Option(help: ArgumentHelp("The file to write.", valueName: "file"))
    var to: String

    @Option(name: .customLong("in"), help: ArgumentHelp("The folder of backups, to say what a restore gives back.", valueName: "dir"))
    var place: String?

    @Flag(help: "The summary as JSON.")
    var json = false

    func validate() throws { try PlaceWord.refuse(folder.data, to, place) }

    func run() throws {
        try Outcome.report("salvage") {
            let audited = try folder.audited(writing: to)
            try audited.requireOutside(to)
            let file = try OutputFile(to)
            let summary = try salvage(audited, file)
            let plan = SalvagePlan(after: summary, of: audited, in: to, backups: place)
            try StandardOutput.say(json ? [JSONLine.text(members(summary, plan))] : lines(summary, plan))
            return summary.missing.isEmpty
        }
    }

    /// A signal removes the incomplete file only until this returns. Later, its temporary name may belong to another process.
    private func salvage(_ audited: AuditedFolder, _ file: OutputFile) throws -> Salvage.Summary {
        try Interruption.removingUnfinished { begun in
            if let partial = file.partial { begun(partial) }
            let salvage = try Salvage(of: audited) { try file.write($0) }
            let bar = ProgressBar(label: "salvage", total: 2 * Int(clamping: salvage.positions), unit: "events")
            let summary = try salvage.run { bar.advance(to: Int(clamping: $0)) }
            bar.finish()
            try file.complete()
            return summary
        }
    }

    private func lines(_ summary: Salvage.Summary, _ plan: SalvagePlan) -> [String] {
        let (kept, unproved) = (Salvage.count(summary.events), Salvage.count(summary.unproved))
        var lines = ["salvaged  events \(kept) of \(summary.head)  proved \(kept - unproved)  to \(to)"]
        if !summary.missing.isEmpty { lines.append("missing  \(Salvage.count(summary.missing)): \(Salvage.text(summary.missing))") }
        if unproved > 0 { lines.append("unproved  \(unproved): \(Salvage.text(summary.unproved))") }
        let losses = plan.lost.isEmpty ? "nothing is lost" : "lost for good \(Salvage.text(plan.lost))"
        let left = plan.left.isEmpty ? "" : ", and behind them, in the file alone, \(Salvage.text(plan.left))"
        lines.append("restores  \(plan.backup.map { "with \($0)" } ?? "without a backup")  to \(plan.restoresTo)  \(losses)\(left)")
        if let lacking = plan.lacking { lines.append("pictures  \(lacking)") }
        if let signed = plan.signed {
            lines.append("signed  the checkpoint covers \(signed): receipts of events behind \(plan.restoresTo) will prove nothing")
        }
        let none = plan.isWhole ? "nothing: the log is whole" : "find a backup: without event 1 there is no log"
        return lines + ["next  " + (plan.next ?? none)]
    }

    private func members(_ summary: Salvage.Summary, _ plan: SalvagePlan) -> [String: Any?] {
        let unproved = Salvage.count(summary.unproved)
        return [
            "to": to, "head": summary.head, "events": Salvage.count(summary.events), "proved": Salvage.count(summary.events) - unproved,
            "missing": JSONLine.ranges(summary.missing), "unproved": JSONLine.ranges(summary.unproved),
            "restoresTo": plan.restoresTo, "lost": JSONLine.ranges(plan.lost), "left": JSONLine.ranges(plan.left),
            "backup": plan.backup, "pictures": plan.lacking, "signed": plan.signed, "next": plan.next,
        ]
    }
}
