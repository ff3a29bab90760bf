public import CommandService
public import Composition
internal import EventLog
internal import Loyalty

/// Turns the history of a shop's till into the events that the service would have recorded at the time.
///
/// Each customer becomes an account. Each visit of a named customer becomes a stamp code, which the customer enters at the visit's time.
/// Each shop of the file becomes a shop with an owner and a campaign. Optionally, all shops have one owner and share one campaign.
///
/// Everything uses the service's own commands and rules. Stamps, redemptions, shops and campaigns have idempotency keys that are derived
/// from the file, and a customer who has an account is not registered again. So an import can be repeated: if it was interrupted, it is
/// completed; if the file is the same, nothing is added; if the same till has written a longer file, only the new rows are added.
///
/// Events are written in the order of time, whatever the order of the file. Memory: 24 bytes per visit, and one entry for each customer,
/// for each shop, and for each pair of a customer and a shop.
public struct TillImport {
    private let service: GreenTea
    private let terms: ImportTerms

    /// Prepares an import.
    ///
    /// - Parameters:
    ///   - service: must be open on the data folder; nothing else may write to it.
    ///   - shop: the shop's name; for a file with a shop column, the prefix of its shops' names.
    ///   - goal: stamps that fill a card.
    ///   - redeem: whether a card is redeemed as soon as it is full.
    ///   - owner: the phone number whose account will own the shops; nil gives each shop a separate owner, unless `oneCard` is true.
    ///   - oneCard: whether all shops of the file have one owner and share one campaign.
    /// - Throws: `ImportError.unusableName`, `.unusableGoal`.
    public init(
        service: GreenTea, shop: String, goal: Int, redeem: Bool, owner: E164Number? = nil, oneCard: Bool = false
    ) throws(ImportError) {
        self.service = service
        terms = try ImportTerms(name: shop, goal: goal, redeems: redeem, owner: owner, isShared: oneCard)
    }

    /// Checks the terms of an import without a service.
    ///
    /// - Throws: like `init`.
    public static func check(shop: String, goal: Int) throws(ImportError) {
        _ = try ImportTerms(name: shop, goal: goal, redeems: false)
    }

    /// Imports a file.
    ///
    /// - Parameters:
    ///   - file: the CSV file's path.
    ///   - report: called with the line and the reason for each malformed row, and for each filled card that cannot be redeemed.
    ///   - progress: called with the progress.
    /// - Throws: `ImportError`; rows imported before the error stay imported.
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
        var (history, skipped) = try VisitFile(
            terms: terms, latest: service.clock.now().advanced(bySeconds: Limits.futureSecondsMax), report: report
        ).read(counted, path: path)
        let total = history.visits.count
        let terms: ImportTerms
        do { terms = try Spellings(service: service).unify(&history, self.terms) } catch {
            throw await ImportError.refusal(of: error, to: "look up the names of the file", line: 1, by: service)
        }
        let owned = Loyalty.Limits.openShopsPerAccount
        guard terms.owner == nil || history.shops.names.count <= owned else { throw .tooManyOwned(max: owned) }
        var run = ImportRun(history, service: service, terms: terms, summary: skipped, report: report)
        try await run.play { progress(.playing(visits: $0, of: total)) }
        var summary = run.summary
        summary.events = Int(service.log.head.rawValue - headBefore.rawValue)
        summary.seconds = (ContinuousClock.now - began) / .seconds(1)
        return summary
    }
}

/// The result of an import. All properties except `events` and `seconds` describe the file, so that a second import gives the same values.
public struct ImportSummary: Hashable, Sendable {
    /// The number of well-formed rows, including those without a customer.
    public internal(set) var visits = 0
    /// The number of well-formed rows without a customer, such as anonymous cash payments. They give no stamp.
    public internal(set) var skipped = 0
    /// The number of malformed rows, which were reported and skipped.
    public internal(set) var malformed = 0
    /// The malformed row that comes first in the file.
    public internal(set) var firstFault: RowReport?
    /// The number of customers, each of whom has an account.
    public internal(set) var accounts = 0
    public internal(set) var shops = 0
    public internal(set) var stamps = 0
    /// The number of cards opened.
    public internal(set) var cards = 0
    /// The number of cards that reached their goal, including redeemed ones.
    public internal(set) var full = 0
    public internal(set) var redeemed = 0
    /// The number of events that this import added to the log.
    public internal(set) var events = 0
    /// The duration in seconds.
    public internal(set) var seconds = 0.0

    /// Counts a malformed row.
    mutating func count(malformed fault: RowReport) {
        malformed += 1
        if firstFault.map({ fault.line < $0.line }) ?? true { firstFault = fault }
    }

    /// Whether the file has rows, and all of them are malformed.
    public var isRejected: Bool { visits == 0 && malformed > 0 }

    /// The number of malformed rows and the first reason, for a person; nil if there are none.
    public var complaint: String? {
        firstFault.map { "\(malformed) of \(visits + malformed) rows were rejected, the first of them \($0)" }
    }

    /// The name and value of each figure, in the order of the report.
    public var figures: [(name: String, text: String)] {
        [
            ("visits", "\(visits)"), ("skipped", "\(skipped)"), ("malformed", "\(malformed)"), ("accounts", "\(accounts)"),
            ("shops", "\(shops)"), ("stamps", "\(stamps)"), ("cards", "\(cards)"), ("full", "\(full)"), ("redeemed", "\(redeemed)"),
            ("events", "\(events)"), ("seconds", "\((seconds * 1_000).rounded() / 1_000)"),
        ]
    }

    /// A JSON object on one line with all figures, each as a number.
    public var json: String {
        "{" + figures.map { "\"\($0.name)\":\($0.text)" }.joined(separator: ",") + "}"
    }
}

/// The progress of an import.
public enum ImportStep: Hashable, Sendable {
    /// The file is being read.
    ///
    /// - Parameter of: the file's length; 0 if it is unknown.
    case reading(bytes: Int, of: Int)
    /// The visits are being imported. The first report comes before the first visit.
    case playing(visits: Int, of: Int)
}

/// A message about one row of the file.
public struct RowReport: Hashable, Sendable, CustomStringConvertible {
    /// The line on which the row begins, from 1; the header is line 1.
    public let line: Int
    /// The fault, for a person who can correct the file.
    public let reason: String

    public var description: String { "line \(line): \(reason)" }
}
