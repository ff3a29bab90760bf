import Archive
import ArgumentParser
import Audit
import Console
import EventLog
import LoyaltyCodec

/// `greentea-audit history`: prints the whole history of one item.
struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Print the whole life of one thing: a card, a code, a shop, an account and so on.",
        discussion: """
            One line for each event: position, time, what happened, and who did it. It takes the id of a card, code, shop, campaign, \
            account, redemption, review, picture, notice, invitation, session, or of a print of paper cards and one card of it. Of an \
            account, also what it did to others' things; of a review, its thread.

            EXAMPLES
              greentea-audit history card:card_01j8mgad50eydbysbr2yaq7mfm --data data
              greentea-audit history shop_01hv5x0000e008000000000000 --data data --json
              What changed for a card in the last hour?
                greentea-audit history card_01j8mgad50eydbysbr2yaq7mfm --data data --since 1h

            EXIT CODES
              0   printed
              1   there is no such thing in the log, or nothing of it since then (the line
                  says which)
              2   it could not be looked for: no data folder, an unreadable log; or the log
                  is damaged: what was printed is older
              64  wrong use: no id of ours
            """)

    @Argument(
        help: ArgumentHelp("card:card_01…, or the id alone as the API shows it, or a link that ends with it.", valueName: "kind:id"),
        transform: Scanned.code)
    var thing: String

    @OptionGroup var folder: FolderOption

    @Option(
        help: ArgumentHelp(
            "Only what happened since then: 2026-11-24T09:00:00Z, or 90s, 30m, 12h, 7d before now.", valueName: "time"),
        transform: Moment.init)
    var since: Moment?

    @Flag(help: "One JSON object on each line.")
    var json = false

    func validate() throws {
        guard LifeOf(thing) == nil else { return }
        if TypedCode(typed: thing) != nil || PaperCode(typed: thing) != nil {
            throw ValidationError("'\(thing)' is a code as it was typed. Who used it: greentea-audit who \(thing) --data \(folder.data)")
        }
        throw ValidationError("'\(thing)' is no id: card_01…, code_01…, shop_01…, or the kind before it, as card:card_01….")
    }

    func run() throws {
        try Outcome.report("history", damage: 2) {
            guard let life = LifeOf(thing) else { return false }
            var output = StandardOutput()
            let log = try folder.audited().log(.readOnly)
            let count: Int
            do throws(AuditError) {
                count = try life.forEach(in: log, json: json, since: since?.timestamp) { output.write($0) }
            } catch {
                try output.flush()
                throw error
            }
            try output.flush()
            guard count == 0 else { return true }
            // A second search without `--since` distinguishes an id that never existed from an id whose events are all earlier.
            let earlier = try since == nil ? 0 : life.forEach(in: log, json: json, since: nil) { _ in true }
            StandardError.write(
                earlier == 0
                    ? "greentea-audit history: there is nothing of \(thing) in \(folder.data), at no time: look at the id and the folder."
                    : "greentea-audit history: there is nothing of \(thing) in \(folder.data) since then; what happened to it is earlier "
                        + "(events: \(earlier)).")
            return false
        }
    }
}

/// A moment given by the user: a time, or a duration before now.
struct Moment {
    private static let unitSeconds: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]

    let timestamp: Timestamp

    /// Parses a moment.
    ///
    /// - Throws: `ValidationError` for any other form.
    init(_ text: String) throws {
        if let unit = text.last.flatMap({ Self.unitSeconds[$0] }), let count = Int64(text.dropLast()), (0...1_000_000).contains(count) {
            timestamp = Timestamp(microseconds: Now.timestamp.microseconds - count * unit * 1_000_000)
        } else if case .time(let time)? = ReplayBound(text: text) {
            timestamp = time
        } else {
            throw ValidationError("'\(text)' is no time such as 2026-11-24T09:00:00Z, 30m, 12h or 7d.")
        }
    }
}
