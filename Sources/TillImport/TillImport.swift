public import CommandService
internal import EventLog
internal import Loyalty

/// Makes the history of a till into what the app would have recorded: each customer an account, each visit one issued code and
/// one stamp at the visit's own time, each shop of the file a shop with one owner and one campaign.
///
/// Everything goes through the service's own commands and rules, and every step has an idempotency key made from its row. So an
/// import that was cut short is finished by running it again, a second import adds nothing, and one of a longer file of the same
/// till adds what is new.
///
/// The log gets everything in the order of time, whatever the order of the file. Memory: 24 bytes a visit, and one entry for
/// each customer, each shop, and each pair of them that occurs.
public struct TillImport {
    private let service: GreenTea
    private let terms: ImportTerms

    /// - Parameters:
    ///   - service: opened on the data folder; nobody else writes to it.
    ///   - shop: the shop's name; in a file with a shop column, what the names of its shops begin with.
    ///   - goal: stamps that fill a card.
    ///   - redeem: whether a card is redeemed as soon as it is full.
    /// - Throws: `ImportError.unusableName`, `.unusableGoal`.
    public init(service: GreenTea, shop: String, goal: Int, redeem: Bool) throws(ImportError) {
        self.service = service
        terms = try ImportTerms(name: shop, goal: goal, redeems: redeem)
    }

    /// Whether an import could begin on these terms, before there is a service.
    ///
    /// - Throws: as `init`.
    public static func check(shop: String, goal: Int) throws(ImportError) {
        _ = try ImportTerms(name: shop, goal: goal, redeems: false)
    }

    /// Imports a file.
    ///
    /// - Parameters:
    ///   - file: the CSV file's path.
    ///   - report: told of each row that is left out, with its line and the reason.
    ///   - progress: told how far it is.
    /// - Throws: `ImportError`; what was imported before it stands.
    public func run(
        _ file: String, report: @escaping (RowReport) -> Void = { _ in }, progress: @escaping (ImportStep) -> Void = { _ in }
    ) async throws(ImportError) -> ImportSummary {
        let bytes = try FileBytes(path: file)
        return try await run(bytes, path: file, length: bytes.length, report: report, progress: progress)
    }

    func run(
        _ source: some ByteSource, path: String, length: Int = 0, report: @escaping (RowReport) -> Void,
        progress: @escaping (ImportStep) -> Void
    ) async throws(ImportError) -> ImportSummary {
        let began = ContinuousClock.now
        let headBefore = service.log.head
        let counted = CountedBytes(source) { progress(.reading(bytes: $0, of: length)) }
        let (history, malformed) = try VisitFile(
            terms: terms, latest: service.clock.now().advanced(bySeconds: Limits.futureSecondsMax), report: report
        ).read(counted, path: path)
        let total = history.visits.count
        var run = ImportRun(history, service: service, terms: terms, report: report)
        try await run.play { progress(.playing(visits: $0, of: total)) }
        var summary = run.summary
        summary.malformed += malformed
        summary.events = Int(service.log.head.rawValue - headBefore.rawValue)
        summary.seconds = (ContinuousClock.now - began) / .seconds(1)
        return summary
    }
}

/// The result of an import. All but `events` and `seconds` describe the file, so a second import of it gives the same.
public struct ImportSummary: Hashable, Sendable {
    /// Well-formed rows, those without a customer included.
    public internal(set) var visits = 0
    /// Well-formed rows without a customer: paid in cash, no stamp.
    public internal(set) var skipped = 0
    /// Rows that were reported and left out.
    public internal(set) var malformed = 0
    /// Customers.
    public internal(set) var accounts = 0
    public internal(set) var shops = 0
    public internal(set) var stamps = 0
    /// Cards opened.
    public internal(set) var cards = 0
    /// Cards that reached their goal, redeemed ones included.
    public internal(set) var full = 0
    public internal(set) var redeemed = 0
    /// Events that this import added to the log.
    public internal(set) var events = 0
    /// How long it took.
    public internal(set) var seconds = 0.0

    /// Name and figure of each, in the order of the report.
    public var figures: [(name: String, text: String)] {
        [
            ("visits", "\(visits)"), ("skipped", "\(skipped)"), ("malformed", "\(malformed)"), ("accounts", "\(accounts)"),
            ("shops", "\(shops)"), ("stamps", "\(stamps)"), ("cards", "\(cards)"), ("full", "\(full)"), ("redeemed", "\(redeemed)"),
            ("events", "\(events)"), ("seconds", "\((seconds * 1_000).rounded() / 1_000)"),
        ]
    }

    /// One JSON object on one line; every figure is a number.
    public var json: String {
        "{" + figures.map { "\"\($0.name)\":\($0.text)" }.joined(separator: ",") + "}"
    }
}

/// How far an import is.
public enum ImportStep: Hashable, Sendable {
    /// The file is being read.
    ///
    /// - Parameter of: 0 where the file does not say how long it is.
    case reading(bytes: Int, of: Int)
    /// The visits are being imported; told for the first time before the first of them.
    case playing(visits: Int, of: Int)
}

/// Something to tell about one row of the file.
public struct RowReport: Hashable, Sendable, CustomStringConvertible {
    /// The line on which the row begins, from 1; the header is line 1.
    public let line: Int
    /// The fault, for the person who can correct the file.
    public let reason: String

    public var description: String { "line \(line): \(reason)" }
}
