import ArgumentParser
import Audit
import Console
import EventLog
import PastStates
import ReadModels

/// Answers queries about the past, and about changes between two past moments.
struct TravelTask {
    let folder: AuditedFolder
    let format: OutputFormat
    let options: PastOptions

    /// The exit code if the subject did not exist at the moment of the query.
    private static let notThere: Int32 = 1

    func answer(_ subject: PastSubject, at bound: ReplayBound) throws {
        // The whole log is inspected only if that is quick, because an answer from the index and the snapshots reads only a few pages of
        // it.
        let log = try folder.log(.readOnly, inspecting: .ifQuick)
        let travel = travel(log)
        let answer = try travel.answer(subject, at: try travel.moment(bound))
        try StandardOutput.say(format == .text ? answer.lines : answer.jsonLines)
        if travel.wouldGainFromSnapshots, !options.ignoresSnapshots {
            StandardError.write("greentea-replay: much of the log was read; `greentea-replay snapshots --data \(folder.path)` saves that.")
        }
        if !answer.isFound { throw ExitCode(Self.notThere) }
    }

    /// Prints the changes between two past moments, for one subject or for every read model.
    func difference(from: ReplayBound, to: ReplayBound, of thing: PastSubject?) throws {
        let log = try folder.log(.readOnly)
        let travel = travel(log)
        let (from, to) = (try travel.moment(from), try travel.moment(to))
        if let thing { return try show(thing, travel, from, to) }
        let bar = ProgressBar(label: "diff", total: ModelsDiff.events(from: from.position, to: to.position), unit: "events")
        let diff = try ModelsDiff(of: log, from: from.position, to: to.position, limit: options.limit, in: folder) { bar.advance(to: $0) }
        bar.finish()
        if format == .jsonl { return try StandardOutput.say(diff.tables.flatMap(\.jsonLines)) }
        let lines = diff.tables.flatMap(\.lines)
        let head = "from position \(from.position) to position \(to.position)" + (lines.isEmpty ? ": nothing changed" : "")
        try StandardOutput.say([head] + lines)
    }

    private func show(_ thing: PastSubject, _ travel: Travel, _ from: Moment, _ to: Moment) throws {
        let answers = (try travel.answer(thing, at: from), try travel.answer(thing, at: to))
        let comparison = PastComparison(from: answers.0, to: answers.1)
        var lines = format == .text ? comparison.lines : [comparison.json]
        let (first, last) = from.position <= to.position ? (from, to) : (to, from)
        var count = 0
        try travel.events(of: thing, after: first, through: last) { text, json in
            count += 1
            if options.limit == 0 || count <= options.limit { lines.append(format == .text ? "  " + text : json) }
        }
        if format == .text, options.limit > 0, count > options.limit { lines.append("  … and \(count - options.limit) more events") }
        try StandardOutput.say(lines)
        if !answers.0.isFound, !answers.1.isFound { throw ExitCode(Self.notThere) }
    }

    private func travel(_ log: EventLog) -> Travel {
        Travel(in: folder, log: log, usingSnapshots: !options.ignoresSnapshots) { StandardError.write("greentea-replay: \($0)") }
    }
}

/// The options of queries about the past.
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

    /// Parses a subject such as `card card_01…`.
    ///
    /// - Throws: `ValidationError`, which lists the possible subjects.
    func subject(_ words: [String]) throws -> PastSubject {
        if let subject = PastSubject(words: words, days: try days) { return subject }
        let asked = words.isEmpty ? "Nothing is asked." : "'\(words.joined(separator: " "))' cannot be asked."
        throw ValidationError("\(asked) Ask for \(PastSubject.usage), with ids as the API shows them.")
    }

    /// The subject to which a difference is restricted; nil for all models.
    func thing(_ words: [String]) throws -> PastSubject? {
        if words.isEmpty { return nil }
        let subject = try subject(words)
        switch subject {
        case .card, .shop, .account, .campaign: return subject
        case .ratings, .statistics:
            throw ValidationError("A difference is of everything, or of one card, shop, account or campaign.")
        }
    }
}
