import Archive
import ArgumentParser
import Audit
import Console
import EventLog

/// `greentea-audit history`: one thing's whole life.
struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Print the whole life of a card, code, shop, campaign, account, redemption or review.",
        discussion: """
            One line for each event: position, time, what happened, and who did it. Of an account, also what it did to others' \
            things; of a review, its thread.

            EXAMPLES
              greentea-audit history card:card_01j8mgad50eydbysbr2yaq7mfm --data data
              greentea-audit history shop_01hv5x0000e008000000000000 --data data --json

            EXIT CODES
              0   printed
              1   there is no such thing in the log, or the log's file is damaged
              2   it could not be looked for: no data folder, an unreadable log
              64  wrong use: no id of ours
            """)

    @Argument(help: ArgumentHelp("card:card_01…, or the id alone as the API shows it.", valueName: "kind:id"))
    var thing: String

    @OptionGroup var folder: FolderOption

    @Flag(help: "One JSON object on each line.")
    var json = false

    func validate() throws {
        if LifeOf(thing) == nil { throw ValidationError("'\(thing)' is no card, code, shop, campaign, account, redemption or review.") }
    }

    func run() throws {
        try Outcome.report("history") {
            guard let life = LifeOf(thing) else { return false }
            var output = StandardOutput()
            let count = try life.forEach(in: folder.audited().log(.readOnly), json: json) { output.write($0) }
            try output.flush()
            if count == 0 { StandardError.write("greentea-audit history: there is no \(thing) in \(folder.data).") }
            return count > 0
        }
    }
}
