import ArgumentParser
import Audit
import Console
import EventLog
import Foundation
import WhatIf

/// `greentea-replay what-if`: replays real history under changed rules, and prints who gains, who loses and what it costs.
struct WhatIfCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "what-if", abstract: "Run history again under changed programme rules, and report what would have been other.",
        discussion: """
            Each recorded command about codes and cards is decided once more, at its own time and by the service's own decisions: \
            under the recorded rules, which must give the log again (the check), and under those of the file. Nothing is written \
            but the report.

            THE RULES FILE is one JSON object. Every member may be left out; {} are the recorded rules.
              "goal": 8                   stamps that fill a card opened from then on, 1 to 50
              "stampsPerDayMax": 2        stamps an account may gain in any 24 hours, 1 to 50; null for no cap
              "minimumGapSeconds": 3600   between two codes of an account, 1 to 86400; null for no gap
              "repeats": 3                cards that an account may fill, 1 to 100; null for any number
              "welcomeStamps": 2          on top of an account's first code, 1 to 10; null for none
              "bonuses": [{"days": ["monday"], "from": "14:00", "to": "16:00", "factor": 2}]
                                          hours in which a code is worth more; null for none
              "milestones": [{"at": 3, "reward": "A cookie"}]
                                          smaller rewards on the way, ascending; null for none
              "codeValidSeconds": 3600    how long a code works, 1 to 86400
              "codeWorth": 1              stamps that every code is worth, 1 to 10
              "weekdays": {"monday": 2}   by how much codes issued that day are worth more; a code is worth 10 at most
              "redemption": "asInHistory" full cards are redeemed when the customer redeemed one in history, as many as leave
                                          no more full ones waiting than were left then; "whenFull": as soon as they fill
              "timeZone": "Asia/Shanghai" of weekdays and months; UTC where it is left out
              "shopTimeZones": {"shop_01…": "Europe/Helsinki"}
              "campaigns": ["camp_01…"], "shops": ["shop_01…"]
                                          only these campaigns and those of these shops; otherwise all

            HOW HISTORY FOLLOWS. A stamp that does not fit on a full card opens the next one. A card keeps its goal, a code its \
            worth and validity. A discard or correction goes to the customer's card that stands as the one in history stood. What \
            a refused command would have led to is refused too, and counted; nothing is tried again. Attempts that were refused in \
            history are not in the log, so looser rules show only what follows from what was accepted.

            EXAMPLES
              Eight stamps in place of ten, at 3.50 a reward:
                echo '{"goal": 8}' > rules.json
                greentea-replay what-if --data data --rules rules.json --price 350
              Double stamps on Mondays since March, with a table and a picture for the owner:
                echo '{"weekdays": {"monday": 2}, "timeZone": "Asia/Shanghai"}' > rules.json
                greentea-replay what-if --data data --rules rules.json --from 2026-03-01 --csv months.csv --svg months.svg
              Is the re-run faithful? Under the recorded rules the report is empty:
                echo '{}' > rules.json && greentea-replay what-if --data data --rules rules.json

            EXIT CODES
              0   done
              1   under the recorded rules the re-run is not the log; the report says
                  where, and is not to be relied on
              2   it could not be done: no data folder, an unreadable log or rules file;
                  the error names the remedy
              64  wrong use
            """)

    @Option(help: ArgumentHelp("The server's data folder.", valueName: "dir"))
    var data: String

    @Option(help: ArgumentHelp("The changed rules, a JSON file.", valueName: "file"))
    var rules: String

    @Option(help: ArgumentHelp("The changed rules hold from here on; the report is about what follows.", valueName: "position|time|day"))
    var from: String?

    @Option(help: ArgumentHelp("The last moment that is looked at.", valueName: "position|time|day"))
    var to: String?

    @Option(help: ArgumentHelp("What a reward costs; once for all campaigns, and again as camp_01…=cents for one.", valueName: "cents"))
    var price: [String] = []

    @Option(help: ArgumentHelp("Write each shop's changed months to this CSV file.", valueName: "file"))
    var csv: String?

    @Option(help: ArgumentHelp("Write a chart of the months to this SVG file.", valueName: "file"))
    var svg: String?

    @Option(help: "How many accounts and shops are named, at most.")
    var top = 10

    @Option(help: "text or jsonl.")
    var format: OutputFormat = .text

    func validate() throws {
        _ = try prices()
        if top < 0 { throw ValidationError("--top must not be negative.") }
        for (name, text) in [("--from", from), ("--to", to)] {
            if let text, ReplayBound(textOrDay: text) == nil {
                let known = "a position (1000), a time (2026-11-21T09:00:00Z) nor a day (2026-11-21)"
                throw ValidationError("\(name): '\(text)' is neither \(known).")
            }
        }
        let files = [rules, csv, svg].compactMap(\.self)
        if Set(files).count < files.count { throw ValidationError("--rules, --csv and --svg must be different files.") }
        if isBackwards { throw ValidationError("--to must not be before --from.") }
    }

    func run() throws {
        try ErrorReport.report {
            // The rules are read before the folder is opened, because opening gives up root's rights.
            let rules = try readRules()
            let folder = try AuditedFolder(asOwner: data, writing: [csv, svg])
            try folder.requireOutside(csv, svg)
            let question = WhatIf(rules, prices: try prices(), from: bounds.from, to: bounds.to ?? .head)
            let log = try folder.log(.readOnly)
            let report = try withProgress("what-if", over: log) { try question.run(on: log, progress: $0) }
            if let csv { try OutputFile.write(Array(ReportCSV(report).text.utf8), to: csv) }
            if let svg { try OutputFile.write(Array(MonthChart(report).svg.utf8), to: svg) }
            try StandardOutput.say(format == .text ? ReportText(report, top: top).lines : ReportLines(report, top: top).lines)
            if !report.check.isPassed { throw ExitCode(1) }
        }
    }

    /// Whether the period certainly ends before it begins. A position and a time are not compared here, because that needs the log.
    private var isBackwards: Bool {
        switch bounds {
        case (.position(let first), .position(let last)): first > last
        case (.time(let first), .time(let last)): first > last
        default: false
        }
    }

    private var bounds: (from: ReplayBound?, to: ReplayBound?) {
        (from.flatMap(ReplayBound.init(textOrDay:)), to.flatMap(ReplayBound.init(textOrDay:)))
    }

    private func prices() throws -> Prices {
        var prices = Prices()
        for text in price where !prices.add(text) {
            throw ValidationError("--price: '\(text)' is neither cents (350) nor a campaign's (camp_01…=350), or is there twice.")
        }
        return prices
    }

    private func readRules() throws(AuditError) -> ProgrammeRules {
        guard let bytes = FileManager.default.contents(atPath: rules) else {
            throw AuditError(.input, "the rules file \(rules) cannot be read.", remedy: "Name a file; {} in it are the recorded rules.")
        }
        do throws(RulesError) {
            return try ProgrammeRules(json: Array(bytes))
        } catch {
            throw AuditError(.input, "\(rules): \(error).", remedy: "`greentea-replay help what-if` explains what it may hold.")
        }
    }
}
