import ArgumentParser
import Audit
import ReadModels

/// What goes with questions about the past.
struct PastOptions: ParsableArguments {
    @Option(help: ArgumentHelp("With statistics: the first day.", valueName: "date"))
    var from: String?

    @Option(help: ArgumentHelp("With statistics: the last day; without either, 30 days that end with the moment.", valueName: "date"))
    var to: String?

    @Option(help: ArgumentHelp("With statistics: whose days.", valueName: "zone"))
    var timeZone = ReportZone.defaultName

    @Option(help: "With a difference: rows shown of each table, 0 for all.")
    var limit = 10

    @Flag(name: .customLong("no-snapshots"), help: "Answer from the log, as if there were no snapshots.")
    var ignoresSnapshots = false

    func validate() throws {
        if limit < 0 { throw ValidationError("--limit must be 0 or more.") }
        _ = try days
    }

    private var days: PastDays {
        get throws {
            guard let zone = ReportZone(name: timeZone) else {
                throw ValidationError("'\(timeZone)' is no time zone: write a name of the IANA's list, such as Asia/Shanghai or UTC.")
            }
            guard let days = PastDays(from: try Self.day(from), to: try Self.day(to), zone: zone) else {
                throw ValidationError("--to must not be before --from, and at most \(PastDays.daysMax) days.")
            }
            return days
        }
    }

    private static func day(_ text: String?) throws -> Int? {
        guard let text else { return nil }
        if let day = FullDate.day(text) { return day }
        throw ValidationError("'\(text)' is no date: write 2026-11-21.")
    }

    /// What `card card_01…` and the like ask about.
    ///
    /// - Throws: `ValidationError`, which names what can be asked.
    func subject(_ words: [String]) throws -> PastSubject {
        if let subject = PastSubject(words: words, days: try days) { return subject }
        let asked = words.isEmpty ? "Nothing is asked." : "'\(words.joined(separator: " "))' cannot be asked."
        throw ValidationError("\(asked) Ask for \(PastSubject.usage), with ids as the API shows them.")
    }

    /// The one thing that a difference is restricted to.
    func thing(_ words: [String]) throws -> PastSubject? {
        if words.isEmpty { return nil }
        let subject = try subject(words)
        switch subject {
        case .card, .shop, .account, .campaign: return subject
        case .ratings, .statistics:
            throw ValidationError("A difference is of everything, or of one card, shop, account or campaign.")
        }
    }

    static func bound(_ text: String) throws -> ReplayBound {
        if let bound = ReplayBound(text: text) { return bound }
        throw ValidationError("'\(text)' is neither a position (1000) nor a time (2026-11-21T09:00:00Z).")
    }
}
