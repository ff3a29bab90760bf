import ArgumentParser
import Audit
import Console
import EventLog
import Foundation
import Merkle

/// `greentea-audit drill`: rehearses the loss of the disk.
struct DrillCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drill",
        abstract: "Back up, restore elsewhere, verify, replay, and compare with the original.",
        discussion: """
            It only reads the data folder, may run beside a server, and cleans up behind itself, also when it is ended by SIGINT or
            SIGTERM. It needs room for two copies, and reads the log many times.

            EXAMPLE
              greentea-audit drill --data data --scratch /mnt/spare

            EXIT CODES
              0   the restored log and pictures are whole, and the log amounts to the same state as the original
              1   the log or the copy is damaged, or the copy amounts to another state
              2   a step could not be made: no room, no data folder
              64  wrong use
            """)

    @OptionGroup var folder: FolderOption

    @Option(help: ArgumentHelp("Where to make the copies, which are removed again; else the temporary folder.", valueName: "dir"))
    var scratch: String?

    @Flag(help: "One JSON object in place of lines.")
    var json = false

    func run() throws {
        try Outcome.report("drill") {
            let began = ContinuousClock.now
            let place = (scratch ?? NSTemporaryDirectory()) + "/greentea-drill-" + UUID().uuidString
            let interruption = Interruption(removing: [place])
            defer { withExtendedLifetime(interruption) {} }
            let bar = ProgressBar(label: "drill", total: FolderOption.events(in: folder.data), unit: "events")
            let drill = Drill(try folder.audited(), in: place, options: .init(now: Now.timestamp))
            let outcome = try drill.run { bar.advance(to: Int(clamping: $0)) }
            bar.finish()
            let seconds = ((ContinuousClock.now - began) / .milliseconds(1)).rounded() / 1_000
            try StandardOutput.say(lines(outcome, seconds))
            return outcome.isGood
        }
    }

    private func lines(_ outcome: Drill.Outcome, _ seconds: Double) -> [String] {
        let root = outcome.report.root?.hex ?? ""
        guard !json else {
            return [
                JSONLine.text([
                    "verdict": outcome.isGood ? "good" : "bad", "events": outcome.report.head.rawValue, "root": root, "seconds": seconds,
                    "digest": outcome.restored.hex, "originalDigest": outcome.original.hex, "findingCount": outcome.report.findingCount,
                    "pictures": outcome.pictures, "lostPictures": outcome.lostPictures,
                ])
            ]
        }
        return outcome.report.findings.map { "\($0)" } + [
            "\(outcome.isGood ? "good" : "bad")  events \(outcome.report.head)  root \(root)  \(seconds) s",
            "pictures  \(outcome.pictures)  lost \(outcome.lostPictures)",
            "restored  \(outcome.restored.hex)",
            "original  \(outcome.original.hex)",
        ]
    }
}
